import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { changesOf, readImage, releaseDayOf, renderChart } from '../../src/chart/index.ts';
import { chartSources } from '../render/sources.ts';
import { annotationsOf } from './annotations.ts';

const CHANGELOG = `# Changelog

## [Unreleased]

### Added

- Not yet
  out: it continues
 here.

## [1.1.0-rc.1] - 2026-02-01

### Security

- A hole, closed.

### Changed

- A word.

## [1.0.0] - 2026-01-02${' '}

Words - on ### the whole.
  With two lines.

### Fixed

- One: \`a\`.

- Two.
Words after it.

###  Removed

-   Three "quoted".

## [0.9.0]

### Changed

- Old.

See ## [0.8.5] - 2025-12-01

## [0.8.0]
## [0.7.0] - 2025-11-01 or later

### Added

- First.
`;

describe('a changelog', () => {
  test('gives the entries of a version, in its order, each as one line', () => {
    expect(changesOf(CHANGELOG, '1.0.0')).toEqual([
      { kind: 'fixed', description: 'One: `a`.' },
      { kind: 'fixed', description: 'Two.' },
      { kind: 'removed', description: 'Three "quoted".' },
    ]);
    expect(changesOf(CHANGELOG, '0.9.0')).toEqual([{ kind: 'changed', description: 'Old.' }]);
    expect(changesOf(CHANGELOG, '0.8.0')).toEqual([]);
  });

  test('gives what is not released yet for a version it does not know', () => {
    const unreleased = [{ kind: 'added', description: 'Not yet out: it continues here.' }];
    expect(changesOf(CHANGELOG, '2.0.0')).toEqual(unreleased);
    expect(changesOf(CHANGELOG, '1.1.0')).toEqual(unreleased);
    expect(changesOf('# Changelog\n', '2.0.0')).toEqual([]);
  });

  test('is refused where Artifact Hub would not understand it', () => {
    const news = '## [1.0.0]\n### News\n- x\n';
    expect(() => changesOf(news, '1.0.0')).toThrow('CHANGELOG.md: 1.0.0: "News" is none of added, changed,');
    expect(() => changesOf('## [1.0.0]\n- x\n', '1.0.0')).toThrow('"x" stands below no heading');
  });

  test('names the day of a release', () => {
    expect(releaseDayOf(CHANGELOG, '1.0.0')).toBe('2026-01-02');
    expect(releaseDayOf(CHANGELOG, '1.1.0-rc.1')).toBe('2026-02-01');
    for (const version of ['0.9.0', '0.8.5', '0.7.0', '1.1.0', 'Unreleased'])
      expect(releaseDayOf(CHANGELOG, version)).toBeUndefined();
  });
});

describe('an image reference', () => {
  const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;
  test.each([
    ['node', 'docker.io/library/node', ''],
    ['node:24-slim', 'docker.io/library/node', '24-slim'],
    ['alpine/k8s:1.34.0', 'docker.io/alpine/k8s', '1.34.0'],
    ['ghcr.io/a/b/c:v1', 'ghcr.io/a/b/c', 'v1'],
    ['localhost/a', 'localhost/a', ''],
    ['localhosts/a', 'docker.io/localhosts/a', ''],
    ['mylocalhost/a', 'docker.io/mylocalhost/a', ''],
    ['registry:5000/a:1', 'registry:5000/a', '1'],
    ['registry:5000/a', 'registry:5000/a', ''],
  ])('%s stands for %s', (name, repository, tag) => {
    const reference = `${name}@${digest}`;
    expect(readImage('x', reference)).toEqual({ key: 'x', reference, repository, tag, digest });
  });

  test.each([
    'node:24',
    `node@${digest.slice(0, -1)}`,
    `node@${digest}0`,
    `a@node@${digest}`,
    `node@md5:${'0'.repeat(64)}`,
  ])('%s is no pin', (text) => {
    expect(() => readImage('nodeImage', text)).toThrow(`nodeImage: ${text} is not pinned by a sha256 digest`);
  });
});

describe('the annotations for Artifact Hub', () => {
  test('list the changes of the version and say whether one is about security', async () => {
    const one = await annotationsOf({ version: '1.0.0', changelog: CHANGELOG });
    expect(parse(one['artifacthub.io/changes'] ?? '')).toEqual(changesOf(CHANGELOG, '1.0.0'));
    expect(one).toMatchObject({
      'artifacthub.io/prerelease': 'false',
      'artifacthub.io/containsSecurityUpdates': 'false',
      'artifacthub.io/license': 'Apache-2.0',
      'artifacthub.io/category': 'ai-machine-learning',
    });
    const candidate = await annotationsOf({ version: '1.1.0-rc.1', changelog: CHANGELOG });
    expect(candidate).toMatchObject({
      'artifacthub.io/prerelease': 'true',
      'artifacthub.io/containsSecurityUpdates': 'true',
    });
    const silent = await annotationsOf({ changelog: '' });
    expect(silent).not.toHaveProperty(['artifacthub.io/changes']);
    expect(silent['artifacthub.io/containsSecurityUpdates']).toBe('false');
  });

  test('link to the source where it is known', async () => {
    const aicr = { name: 'NVIDIA AI Cluster Runtime', url: 'https://github.com/NVIDIA/aicr' };
    const links = async (repository: string): Promise<unknown> =>
      parse((await annotationsOf({ repository }))['artifacthub.io/links'] ?? '');
    expect(await links('')).toEqual([aicr]);
    const source = { name: 'source', url: 'https://github.com/o/r' };
    expect(await links(source.url)).toEqual([aicr, source]);
  });

  test('say everything, as one YAML document whose texts are not folded', async () => {
    const { schema, ...rest } = await chartSources({ license: 'MIT', repository: 'https://r.example/o/r' });
    const image = `r.example/${'long/'.repeat(30)}name:1@sha256:${'0'.repeat(64)}`;
    const { nodeImage, ...others } = schema.properties;
    const kept = Object.entries(others).filter(([key]) => !key.endsWith('Image'));
    const properties = { ...Object.fromEntries(kept), sideCarImage: { ...nodeImage, default: image } };
    const files = renderChart({
      ...rest,
      schema: { ...schema, properties },
      templates: [{ path: 'a.yaml.hbs', data: new TextEncoder().encode('{{annotations}}|') }],
    });
    const text = new TextDecoder().decode(files.find(({ path }) => path === 'a.yaml')?.data);
    expect(text).toBe(`annotations:
  artifacthub.io/category: ai-machine-learning
  artifacthub.io/license: MIT
  artifacthub.io/prerelease: "false"
  artifacthub.io/containsSecurityUpdates: "false"
  artifacthub.io/images: |
    - name: side-car
      image: ${image}
  artifacthub.io/links: |
    - name: NVIDIA AI Cluster Runtime
      url: https://github.com/NVIDIA/aicr
    - name: source
      url: https://r.example/o/r
  artifacthub.io/changes: |
    - kind: fixed
      description: A fault.|`);
  });

  test('are refused when an image is not pinned', async () => {
    const { schema } = await chartSources();
    const node = { ...schema.properties['nodeImage'], default: 'node:24' };
    const sources = await chartSources({
      schema: { ...schema, properties: { ...schema.properties, nodeImage: node } },
    });
    expect(() => renderChart(sources)).toThrow('nodeImage: node:24 is not pinned by a sha256 digest');
  });
});
