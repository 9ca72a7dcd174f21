import { createHash } from 'node:crypto';
import { readModel } from '../schema/index.ts';
import { CHART_NAME } from './folder.ts';
import { type ChartImage, imagesOf } from './images.ts';
import type { ChartSources } from './render.ts';

/** A package of npm whose code is in the program, as package-lock.json describes it. */
export interface BundledPackage {
  /** With its scope: `@sec-ant/readable-stream`. */
  readonly name: string;
  readonly version: string;
  /** SPDX identifier or expression. */
  readonly license: string;
  /** Subresource Integrity of its archive: `sha512-` and base64. */
  readonly integrity: string;
}

/**
 * The chart's bill of materials in CycloneDX 1.6, as JSON: the program, the packages in it, and the images that the
 * chart starts. It has no time in it and its serial number is made of its content, so the same chart has the same one.
 * https://cyclonedx.org/docs/1.6/json/
 */
export const renderBom = (sources: ChartSources, packages: readonly BundledPackage[]): string => {
  const chart = `${CHART_NAME}@${sources.version}`;
  const program = `${chart}#program`;
  // Stryker disable next-line EqualityOperator: a package is in the program once
  const libraries = packages.toSorted((a, b) => (purlOf(a) < purlOf(b) ? -1 : 1)).map(libraryOf);
  const images = imagesOf(readModel(sources.schema)).map(containerOf);
  const license = licenseOf(sources.license);
  const content = {
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': chart,
        name: CHART_NAME,
        version: sources.version,
        licenses: license,
      },
    },
    components: [
      {
        type: 'application',
        'bom-ref': program,
        name: 'program/runner.mjs.br',
        version: sources.version,
        hashes: [
          { alg: 'SHA-256', content: createHash('sha256').update(sources.runner.program).digest('hex') },
        ],
        licenses: license,
      },
      ...libraries,
      ...images,
    ],
    dependencies: [
      { ref: chart, dependsOn: [program, ...images.map(refOf)] },
      { ref: program, dependsOn: libraries.map(refOf) },
    ],
  };
  const head = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(content))}`,
  };
  return `${JSON.stringify({ ...head, ...content }, null, 2)}\n`;
};

const refOf = (component: { readonly 'bom-ref': string }): string => component['bom-ref'];

const libraryOf = (library: BundledPackage) => {
  const [scope, name] = library.name.includes('/') ? library.name.split('/') : [undefined, library.name];
  return {
    type: 'library',
    'bom-ref': purlOf(library),
    // JSON leaves out what is undefined.
    group: scope,
    name,
    version: library.version,
    hashes: [{ alg: 'SHA-512', content: hexOf(library) }],
    licenses: licenseOf(library.license),
    purl: purlOf(library),
  };
};

const containerOf = ({ key, repository, tag, digest }: ChartImage) => {
  const name = repository.slice(repository.lastIndexOf('/') + 1);
  const purl = `pkg:oci/${name}@${digest.replace(':', '%3A')}?repository_url=${repository}${tag === '' ? '' : `&tag=${tag}`}`;
  return {
    type: 'container',
    'bom-ref': purl,
    name: repository,
    version: digest,
    description: `default of ${key}`,
    hashes: [{ alg: 'SHA-256', content: digest.slice('sha256:'.length) }],
    purl,
  };
};

const purlOf = ({ name, version }: BundledPackage): string =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`;

const licenseOf = (license: string): readonly object[] =>
  license.includes(' ') ? [{ expression: license }] : [{ license: { id: license } }];

const hexOf = ({ name, integrity }: BundledPackage): string => {
  const base64 = /(?<=^sha512-)[A-Za-z0-9+/]{86}==$/.exec(integrity)?.[0];
  if (base64 === undefined) throw new Error(`${name}: "${integrity}" is no SHA-512 of package-lock.json`);
  return Buffer.from(base64, 'base64').toString('hex');
};

/** A UUID of version 8, the one for uses of one's own (RFC 9562, 5.8). */
const uuidOf = (text: string): string => {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
};
