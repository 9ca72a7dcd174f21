import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type CatalogSources, renderCatalog, serviceTemplateName } from '../../src/catalog/index.ts';
import { readFolder } from '../../src/chart/index.ts';
import { installCommand, runCommand } from '../cli/command.ts';
import { readExamples } from '../examples.ts';
import { scratchFolder } from '../render/chart.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const templates = await readFolder(path.join(root, 'catalog-templates'));
const VERSION = '0.3.0';

const entry = (changes: Partial<CatalogSources> = {}): ReadonlyMap<string, string> => {
  const files = renderCatalog({ version: VERSION, aicrVersion: 'v1.2.0', templates, ...changes });
  return new Map(files.map(({ path: name, data }) => [name, new TextDecoder().decode(data)]));
};
const read = (files: ReadonlyMap<string, string>, name: string) => parse(files.get(name) ?? '');

/**
 * What the catalogue's own check asks of data.yaml (scripts/web/generate_catalog_json.py of
 * https://github.com/k0rdent/catalog/tree/0925d33b9d73c073a0457dd8220bd053bdad5468).
 */
const REQUIRED = ['title', 'tags', 'created', 'summary', 'logo', 'description'];
const OPTIONAL = [
  ...['why_in_catalog', 'doc_link', 'support_link', 'github_repo', 'support_type', 'prerequisites'],
  ...['deploy_code', 'verify_code', 'examples', 'test_namespace', 'test_wait_for_pods'],
  ...['validated_amd64', 'validated_arm64', 'validated_aws', 'validated_azure', 'validated_local'],
];
const TAGS = [
  'AI/Machine Learning',
  'Drivers and plugins',
  'Monitoring',
  'Networking',
  'Security',
  'Storage',
];

describe('the entry for the catalog', () => {
  test('has every file that the catalog generates from, and its wrapper chart', () => {
    expect([...entry().keys()].sort()).toEqual([
      'apps/aicr/charts/charts.yaml',
      'apps/aicr/charts/nvidia-aicr-0.3.0/Chart.yaml',
      'apps/aicr/charts/st-charts.yaml',
      'apps/aicr/data.yaml',
      'apps/aicr/example/Chart.yaml',
      'apps/aicr/example/values.yaml',
      'apps/aicr/hunspell_dict.txt',
      'nvidia-aicr-0-3-0.yaml',
    ]);
  });

  test('describes itself as the catalog wants it', () => {
    const data = read(entry(), 'apps/aicr/data.yaml');
    expect(Object.keys(data)).toEqual(expect.arrayContaining(REQUIRED));
    expect([...REQUIRED, ...OPTIONAL]).toEqual(expect.arrayContaining(Object.keys(data)));
    expect(TAGS).toEqual(expect.arrayContaining(data.tags));
    expect(data.created).toMatch(/^\d{4}-\d{2}-\d{2}T/);
    expect(data.logo).toMatch(/^\.\//);
    expect(['Community', 'Enterprise', 'Partner']).toContain(data.support_type);
    expect(data.test_wait_for_pods).toBe('nvidia-aicr-install-');
    // Nobody has seen it yet.
    const validated = Object.entries(data).filter(([key]) => key.startsWith('validated_'));
    expect(new Set(validated.map(([, value]) => value))).toEqual(new Set(['']));
    expect(data.description).toContain('(v1.2.0 with');
  });

  test('is not taken apart by the templates that the catalog runs it through', () => {
    for (const [name, text] of entry())
      expect([name, text]).toEqual([name, expect.not.stringMatching(/\{[{%]/)]);
  });

  test('names one version of one chart in one registry everywhere', () => {
    const files = entry({ version: '0.9.1' });
    const repository = 'oci://ghcr.io/OWNER/charts';
    const dependency = { name: 'nvidia-aicr', version: '0.9.1', repository };
    expect(read(files, 'apps/aicr/charts/st-charts.yaml')).toEqual({
      'st-charts': [{ ...dependency, dep_name: 'nvidia-aicr' }],
    });
    expect(read(files, 'apps/aicr/charts/charts.yaml')).toEqual({
      charts: { 'nvidia-aicr': [{ version: '0.9.1', appVersion: 'v1.2.0' }] },
    });
    expect(read(files, 'apps/aicr/charts/nvidia-aicr-0.9.1/Chart.yaml')).toMatchObject({
      name: 'nvidia-aicr',
      version: '0.9.1',
      dependencies: [dependency],
    });
    expect(read(files, 'apps/aicr/example/Chart.yaml').dependencies).toEqual([
      { ...dependency, repository: 'oci://ghcr.io/k0rdent/catalog/charts' },
    ]);
    expect(files.get('nvidia-aicr-0-9-1.yaml')).toContain('version: 0.9.1\n');
  });

  test.each([
    ['0.3.0', 'nvidia-aicr-0-3-0'],
    ['0.4.0-rc.1', 'nvidia-aicr-0-4-0-rc-1'],
    ['1.0.0-RC.1+build.5', 'nvidia-aicr-1-0-0-rc-1-build-5'],
  ])('calls the ServiceTemplate of %s %s', (version, name) => {
    expect(serviceTemplateName(version)).toBe(name);
    expect([...entry({ version }).keys()]).toContain(`${name}.yaml`);
  });
});

describe('the command catalog', () => {
  test('writes the entry and says what it wrote', async () => {
    const installed = await installCommand();
    const out = scratchFolder('catalog');
    const { code, stdout, stderr } = await runCommand(installed, ['catalog', '--out', out]);
    const files = entry();
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.trimEnd().split('\n').sort()).toEqual(
      [...files.keys()].map((name) => path.join(out, 'catalog', name)).sort(),
    );
    for (const [name, text] of files) {
      expect(await readFile(path.join(out, 'catalog', name), 'utf8')).toBe(text);
    }
  });
});

test('the examples deliver this version of the chart', async () => {
  const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
  const named = (await readExamples()).flatMap(({ objects }) =>
    objects.flatMap(({ kind, spec }): readonly string[] => {
      if (kind === 'OCIRepository') return [spec.ref.tag];
      if (kind === 'Application') return [spec.source.targetRevision];
      if (kind === 'ServiceTemplate') return [spec.helm.chartSpec.version];
      if (kind !== 'MultiClusterService') return [];
      const services: readonly { template: string }[] = spec.serviceSpec.services;
      return services
        .map(({ template }) => template)
        .filter((template) => template.startsWith('nvidia-aicr-'));
    }),
  );
  expect(new Set(named)).toEqual(new Set([version, serviceTemplateName(version)]));
});
