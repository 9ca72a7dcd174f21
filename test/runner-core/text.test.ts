import { expect, test } from 'vitest';
import { nextRunId } from '../../src/contract/index.ts';
import { codeOf, cutBytes, messageOf } from '../../src/runner/ports/index.ts';

test('a text is cut between characters, never within one', () => {
  expect(cutBytes('abc', 3)).toBe('abc');
  expect(cutBytes('abcd', 3)).toBe('…');
  const text = '✓'.repeat(10);
  for (let bytes = 3; bytes < 30; bytes += 1) {
    const cut = cutBytes(text, bytes);
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(bytes);
    expect(cut).toMatch(/^✓*…$/);
  }
});

test('what was thrown tells its message and its code, whatever it is', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  expect(messageOf(refused)).toBe('connect ECONNREFUSED');
  expect(messageOf('text')).toBe('text');
  expect(messageOf(undefined)).toBe('undefined');
  expect(codeOf(refused)).toBe('ECONNREFUSED');
  expect([new Error('x'), { code: 'ENOENT' }, null].map(codeOf)).toEqual([undefined, undefined, undefined]);
});

test('a text that is cut loses no more than it must', () => {
  expect(cutBytes('abcdef', 5)).toBe('ab…');
  expect(cutBytes('a✓✓', 7)).toBe('a✓✓');
  expect(cutBytes('aaa✓✓', 8)).toBe('aaa…');
  expect(cutBytes('aa✓✓x', 8)).toBe('aa✓…');
  expect(cutBytes('😀😀', 6)).toBe('…');
});

test.each([
  ['', '1'],
  ['1', '2'],
  ['009', '10'],
  ['try', 'try-2'],
  ['try-2', 'try-3'],
  ['v1.2', 'v1.2-2'],
  ['2026-11-30', '2026-11-31'],
  ["it's {odd},", '1'],
])('after the runId %j comes %j', (id, next) => {
  expect(nextRunId(id)).toBe(next);
});
