import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { disagreements } from '../../hack/release/agree.ts';
import { scratchFolder } from '../render/chart.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const FILES = ['package.json', 'package-lock.json', 'CHANGELOG.md', 'README.md', 'values.schema.json'];
const FOLDERS = ['catalog-templates', 'chart-templates', 'docs', 'examples'];
const SHA = 'a'.repeat(64);

/** This checkout as it would be on the day of release 9.9.9, with changes: file, what is there, what instead. */
const release = (...changes: readonly (readonly [string, string | RegExp, string])[]): string => {
  const folder = scratchFolder('agree');
  for (const file of [...FILES, ...FOLDERS])
    cpSync(path.join(root, file), path.join(folder, file), { recursive: true });
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('ghcr.io/OWNER/', 'ghcr.io/o/'));
  }
  const readied = [
    ['package.json', /"version": "[^"]+"/, '"version": "9.9.9"'],
    [
      'package.json',
      '"type": "module"',
      '"type": "module", "repository": {"url": "git+https://github.com/o/r.git"}',
    ],
    ['package-lock.json', /"version": "\d[^"]+"/, '"version": "9.9.9"'],
    ['package-lock.json', /("": \{\s+"name": "[^"]+",\s+"version": )"[^"]+"/, '$1"9.9.9"'],
    ['CHANGELOG.md', '## [Unreleased]', '## [Unreleased]\n\n## [9.9.9] - 2026-12-01'],
    ['README.md', /--version \d\S*/g, '--version 9.9.9'],
    [
      'values.schema.json',
      /\{ "amd64": "[^"]*", "arm64": "[^"]*" \}/,
      `{ "amd64": "${SHA}", "arm64": "${SHA}" }`,
    ],
  ] as const;
  for (const [file, from, to] of [...readied, ...changes]) {
    const text = readFileSync(path.join(folder, file), 'utf8');
    writeFileSync(path.join(folder, file), text.replace(from, to));
  }
  return folder;
};

test('a release in which everything agrees may be made', () => {
  expect(disagreements('v9.9.9', release(), 'o/r')).toEqual([]);
  expect(disagreements('v9.9.9', release(), '')).toEqual([]);
});

test.each([
  ['package.json', '"9.9.9"', '"9.9.8"', ['package.json: version is 9.9.8, the tag says 9.9.9']],
  [
    'package-lock.json',
    '"9.9.9"',
    '"9.9.8"',
    ['package-lock.json: version is not 9.9.9; run npm install --package-lock-only'],
  ],
  [
    'CHANGELOG.md',
    ' - 2026-12-01',
    '',
    ['CHANGELOG.md: there is no heading "## [9.9.9] - <year>-<month>-<day>"'],
  ],
  ['CHANGELOG.md', /- 2026-12-01.*/s, '- 2026-12-01\n', ['CHANGELOG.md: 9.9.9 has no entry']],
  [
    'README.md',
    '--version 9.9.9',
    '--version 9.9.8',
    [expect.stringMatching(/^README.md: it installs version .*9\.9\.8/)],
  ],
  [
    'chart-templates/README.md.hbs',
    'ghcr.io/o/',
    'ghcr.io/OWNER/',
    ["chart-templates/README.md.hbs: OWNER stands where the registry's owner belongs"],
  ],
  [
    'examples/argocd/application.yaml',
    'ghcr.io/o/',
    'ghcr.io/OWNER/',
    ["examples/argocd/application.yaml: OWNER stands where the registry's owner belongs"],
  ],
  [
    'values.schema.json',
    `"arm64": "${SHA}"`,
    '"arm64": ""',
    ['values.schema.json: aicrSha256.arm64 is empty; run hack/release/pin.ts'],
  ],
  [
    'package.json',
    'github.com/o/r.git',
    'github.com/o/fork.git',
    ['package.json: repository.url must be git+https://github.com/o/r.git'],
  ],
])('%s holds a release up when it has %s replaced by "%s"', (file, from, to, expected) => {
  expect(disagreements('v9.9.9', release([file, from, to]), 'o/r')).toEqual(expected);
});

test('the second version in the lockfile counts too', () => {
  const folder = release([
    'package-lock.json',
    /("": \{\s+"name": "[^"]+",\s+"version": )"[^"]+"/,
    '$1"9.9.8"',
  ]);
  expect(disagreements('v9.9.9', folder, 'o/r')).toEqual([expect.stringContaining('package-lock.json')]);
});

test.each(['9.9.9', 'v9.9', 'vnext', '', 'v9.9.9 '])('%j is no tag of a release', (tag) => {
  expect(disagreements(tag, release(), 'o/r')).toEqual([
    `${tag} is no tag of a release; write v<major>.<minor>.<patch>`,
  ]);
});

test('an image that is not pinned holds a release up', () => {
  const folder = release(['values.schema.json', /("alpine\/k8s:[^@]+)@sha256:[0-9a-f]+/, '$1']);
  expect(() => disagreements('v9.9.9', folder, 'o/r')).toThrow(
    'runtimeImage: alpine/k8s:1.34.0 is not pinned',
  );
});
