import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import type { Metafile } from 'esbuild';
import { PackageURL } from 'packageurl-js';
import { describe, expect, test } from 'vitest';
import { bundleRunner } from '../../hack/bundle-runner.ts';
import { bundledPackages, type Lockfile } from '../../hack/bundled-packages.ts';
import { type BundledPackage, renderBom } from '../../src/chart/index.ts';
import { chartSources } from '../render/chart.ts';
import { FULL, render } from '../render/helm.ts';

interface Component {
  readonly type: string;
  readonly name: string;
  readonly group?: string;
  readonly version: string;
  readonly purl?: string;
  readonly 'bom-ref': string;
  readonly hashes: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses?: unknown;
}
interface Bom {
  readonly serialNumber: string;
  readonly components: readonly Component[];
  readonly metadata: { readonly component: Component };
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const { packages } = await bundleRunner();
const sources = await chartSources();
const root = new URL('../../', import.meta.url);
const lockfile = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8')) as Lockfile;
const read = (text: string): Bom => JSON.parse(text) as Bom;
const sha512 = (text: string): Buffer => createHash('sha512').update(text).digest();
const integrity = (text: string): string => `sha512-${sha512(text).toString('base64')}`;

const LIBRARIES: readonly BundledPackage[] = [
  { name: 'b', version: '2.0.0', license: '(MIT OR Apache-2.0)', integrity: integrity('b') },
  { name: '@s/a', version: '1.0.0', license: 'ISC', integrity: integrity('a') },
];

describe('the bill of materials', () => {
  test('is CycloneDX 1.6, to the letter of its schema', async () => {
    const text = renderBom(sources, packages);
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
    expect(await validator.validate(text)).toBeNull();
    expect(await validator.validate(text.replace('"library"', '"libary"'))).not.toBeNull();
  });

  test('names the program by its hash, and the images that the chart renders by their digests', async () => {
    const { components, metadata, dependencies } = read(renderBom(sources, LIBRARIES));
    expect(metadata.component).toMatchObject({ name: 'nvidia-aicr', version: '0.3.0' });
    const program = components.find(({ type }) => type === 'application');
    expect(program?.hashes).toEqual([
      { alg: 'SHA-256', content: createHash('sha256').update(sources.runner.program).digest('hex') },
    ]);
    const images = components.filter(({ type }) => type === 'container');
    const { pod } = await render({ ...FULL, dataPack: 'r.example/pack:1' });
    const rendered = [...pod.initContainers, ...pod.containers].map(({ image }: { image: string }) => image);
    expect(images.map(({ version }) => version).sort()).toEqual(
      [...new Set(rendered.map((image: string) => image.split('@')[1]))].sort(),
    );
    for (const { version, hashes } of images) expect(version).toBe(`sha256:${hashes[0]?.content}`);
    expect(images.map(({ purl }) => PackageURL.fromString(purl ?? '').qualifiers)).toEqual([
      { repository_url: 'docker.io/alpine/k8s', tag: '1.34.0' },
      { repository_url: 'docker.io/library/node', tag: '24-bookworm-slim' },
      { repository_url: 'ghcr.io/oras-project/oras', tag: 'v1.2.0' },
    ]);
    const [chart, inProgram] = dependencies;
    expect(chart?.dependsOn).toEqual([program?.['bom-ref'], ...images.map((image) => image['bom-ref'])]);
    expect(inProgram).toEqual({
      ref: program?.['bom-ref'],
      dependsOn: ['pkg:npm/%40s/a@1.0.0', 'pkg:npm/b@2.0.0'],
    });
  });

  test('has package URLs that others read as what they say', async () => {
    const { components } = read(renderBom(sources, packages));
    for (const { type, purl, name, group, version } of components) {
      if (type === 'application') continue;
      const url = PackageURL.fromString(purl ?? '');
      expect(url.version).toBe(version);
      if (type === 'library') expect([url.type, url.namespace, url.name]).toEqual(['npm', group, name]);
      else expect([url.type, url.name]).toEqual(['oci', name.split('/').at(-1)]);
    }
  });
});

describe('the packages of the program', () => {
  test('are those with bytes in the bundle, wherever they are installed', () => {
    const of = (bytesInOutput: number): { bytesInOutput: number } => ({ bytesInOutput });
    const metafile = {
      inputs: {},
      outputs: {
        'out.js': {
          inputs: {
            'src/main.ts': of(5),
            'node_modules/a/index.js': of(1),
            'node_modules/a/lib/more.js': of(1),
            'node_modules/@s/b/node_modules/c/c.js': of(1),
            'node_modules/@s/b/b.js': of(1),
            'node_modules/shaken/off.js': of(0),
          },
        },
      },
    } as unknown as Metafile;
    const entry = (version: string) => ({ version, license: 'MIT', integrity: `sha512-${version}` });
    const installed = {
      'node_modules/a': entry('1'),
      'node_modules/@s/b': entry('2'),
      'node_modules/@s/b/node_modules/c': entry('3'),
      'node_modules/shaken': entry('4'),
    };
    expect(bundledPackages(metafile, { packages: installed })).toEqual([
      { name: '@s/b', ...entry('2') },
      { name: 'a', ...entry('1') },
      { name: 'c', ...entry('3') },
    ]);
    const { license, ...unlicensed } = entry('1');
    expect(() =>
      bundledPackages(metafile, { packages: { ...installed, 'node_modules/a': unlicensed } }),
    ).toThrow('package-lock.json: node_modules/a lacks its version, its license or its integrity');
  });

  test('are execa and what it needs, as the lockfile has them, and no tool of development', async () => {
    const names = packages.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['execa', 'tar-stream', 'yaml']));
    for (const name of ['esbuild', 'vitest', 'ajv', 'handlebars', 'brotli-wasm'])
      expect(names).not.toContain(name);
    const known = Object.entries(lockfile.packages).map(([folder, { version, license, integrity }]) =>
      JSON.stringify({ name: folder.replace(/^.*node_modules\//, ''), version, license, integrity }),
    );
    for (const one of packages) expect(known).toContain(JSON.stringify(one));
  });
});
