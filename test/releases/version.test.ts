import { expect, test } from 'vitest';
import { compareVersions } from '../../src/runner/steps/releases/version.ts';

/** From the oldest to the newest. */
const ORDER = [
  'v0.9.9',
  'v0.20.0',
  'v1.0.0-a.b',
  'v1.0.0-ab',
  'v1.0.0-alpha',
  'v1.0.0-alpha.1',
  'v1.0.0-alpha.-',
  'v1.0.0-alpha.beta',
  'v1.0.0-rc.1',
  'v1.0.0-rc.2',
  'v1.0.0-rc.10',
  'v1.0.0',
  'v1.1.0-rc0',
  'v1.1.0-rc9',
  'v1.1.0-rc10',
  'v1.1.0-rc20',
  'v1.1.0-rc100',
  'v1.1.0',
  'v1.1.1',
  'v1.10.0',
  'v10.0.0',
];

test.each(ORDER.flatMap((a, i) => ORDER.map((b, j) => [a, b, Math.sign(i - j)] as const)))(
  '%s against %s is %i',
  (a, b, sign) => {
    expect(Math.sign(compareVersions(a, b) ?? Number.NaN)).toBe(sign);
  },
);

test.each([
  ['v1.2.0', '1.2.0', 0],
  ['v1.2.0+build.5', 'v1.2.0', 0],
  ['v1.2.0-..', 'v1.2.0-A', -1],
  ['v1.2', 'v1.2.0', null],
  ['v1.2.0', 'vnext', null],
  ['', 'v1.2.0', null],
])('%j against %j is %j', (a, b, result) => {
  expect(compareVersions(a, b)).toBe(result);
});
