import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bundleRunner } from '../../hack/bundle-runner.ts';

/** Licences that ask for no more than their notice; what is shipped has to have one of them. */
const PERMISSIVE = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];

/** Of tools that stay here: the code is used as it is and given to nobody. */
const TOOLS_ONLY = ['BlueOak-1.0.0', 'CC-BY-4.0', 'CC0-1.0', 'MPL-2.0', 'PSF-2.0', 'Python-2.0'];

interface Entry {
  readonly license?: string;
  readonly dev?: boolean;
}

const { packages } = JSON.parse(
  readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'),
) as { packages: Record<string, Entry> };

/** An expression is allowed when one of its alternatives is, and never when it joins licences. */
const allowed = (license: string | undefined, list: readonly string[]): boolean =>
  (license ?? '')
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((one) => list.includes(one));

test('every package of the lockfile has a licence that is allowed for its use', () => {
  const refused = Object.entries(packages)
    .filter(([, { license }]) => !allowed(license, [...PERMISSIVE, ...TOOLS_ONLY]))
    .map(([folder, { license }]) => `${folder}: ${license ?? 'no licence'}`);
  expect(refused).toEqual([]);
  expect(Object.keys(packages).length).toBeGreaterThan(100);
});

test('what is in the program has a permissive licence', async () => {
  const bundled = (await bundleRunner()).packages;
  expect(bundled.filter(({ license }) => !allowed(license, PERMISSIVE))).toEqual([]);
});

test('the npm package brings no other package with it', () => {
  const shipped = Object.entries(packages).filter(([folder, { dev }]) => folder !== '' && dev !== true);
  expect(shipped).toEqual([]);
});

test.each([
  ['MIT', true],
  ['(GPL-3.0 OR MIT)', true],
  ['MIT AND GPL-3.0', false],
  ['GPL-3.0', false],
  [undefined, false],
])('%s is allowed: %s', (license, expected) => {
  expect(allowed(license, PERMISSIVE)).toBe(expected);
});
