import { expect, test } from 'vitest';
import type { RunStatus } from '../../src/contract/index.ts';
import { terminationMessage } from '../../src/runner/termination.ts';
import { done } from './begun.ts';

const failed = (change: Partial<RunStatus>): RunStatus => ({
  ...done({}),
  phase: 'Failed',
  reason: 'CriteriaRefused',
  message: 'no recipe provides service',
  hint: 'Change service.',
  rerun: 'helm upgrade aicr …',
  ...change,
});

const lines = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `line ${index} ${'✓'.repeat(80)}`);

test('the reason comes first, then what to do, then how to run again, then the last lines', () => {
  expect(terminationMessage(failed({ logTail: ['one', 'two'] }))).toBe(
    [
      'CriteriaRefused: no recipe provides service',
      'What to do: Change service.',
      'Run again: helm upgrade aicr …',
      'Last lines:',
      'one',
      'two',
    ].join('\n'),
  );
});

test('of too many last lines the newest are kept, whole, within 4096 bytes', () => {
  const message = terminationMessage(failed({ logTail: lines(40) }));
  expect(Buffer.byteLength(message)).toBeLessThanOrEqual(4096);
  expect(message).toContain(`\n${lines(40).at(-1)}`);
  expect(message.split('Last lines:\n')[1]?.split('\n')[0]).toMatch(/^line \d+ ✓{80}$/);
});

test('a message of any length leaves room for what to do and how to run again', () => {
  const message = terminationMessage(failed({ message: '✓'.repeat(5000), logTail: lines(40) }));
  expect(Buffer.byteLength(message)).toBeLessThanOrEqual(4096);
  expect(message).toMatch(
    /^CriteriaRefused: ✓+…\nWhat to do: Change service\.\nRun again: helm upgrade aicr …/,
  );
});

test('a success is one line, and the warnings', () => {
  const status = failed({
    phase: 'Succeeded',
    reason: '',
    message: 'all 2 components are installed',
    warnings: ['thin criteria'],
  });
  expect(terminationMessage(status)).toBe(
    'Succeeded: all 2 components are installed (aicr v1.2.0)\nWarning: thin criteria',
  );
});

test('the termination message fills its room to the last byte, and no further', () => {
  const ends = (...logTail: string[]) =>
    terminationMessage(failed({ reason: 'Internal', message: 'm', hint: '', rerun: '', logTail }));
  const head = 'Internal: m\nLast lines:';
  const room = 4096 - head.length - 1;
  expect(ends('x'.repeat(room))).toBe(`${head}\n${'x'.repeat(room)}`);
  expect(ends('x'.repeat(room + 1))).toBe('Internal: m');
  expect(ends()).toBe('Internal: m');
  const long = failed({ hint: 'h'.repeat(800), rerun: 'r'.repeat(800) });
  expect(
    terminationMessage(long)
      .split('\n')
      .slice(-2)
      .map((line) => line.length),
  ).toEqual([710, 709]);
  const recipe = { overlays: ['base', 'h200', 'acme'], componentCount: 1, digest: '' };
  expect(terminationMessage(done({ message: 'ok', recipe }))).toBe(
    'Succeeded: ok (aicr v1.2.0, recipe acme)',
  );
});

test('a message that is too long is cut so that all else fits, to the last byte', () => {
  const message = 'm'.repeat(5000);
  const failure = terminationMessage(failed({ message, hint: '✓', rerun: '✓' }));
  expect(Buffer.byteLength(failure)).toBe(4096);
  expect(failure).toMatch(/m…\nWhat to do: ✓\nRun again: ✓$/);
  const success = terminationMessage(done({ message }));
  expect(Buffer.byteLength(success)).toBe(4096);
  expect(success).toMatch(/m…$/);
});

test('the last lines leave room for what to do, to the last byte', () => {
  const room = 4096 - Buffer.byteLength(`${terminationMessage(failed({}))}\nLast lines:\n`);
  const ends = (length: number) => terminationMessage(failed({ logTail: ['x'.repeat(length)] }));
  expect(Buffer.byteLength(ends(room))).toBe(4096);
  expect(ends(room + 1)).toBe(terminationMessage(failed({})));
});

test('no line is left out of the last ones', () => {
  expect(terminationMessage(failed({ logTail: ['early', 'x'.repeat(5000), 'late'] }))).toMatch(
    /Last lines:\nlate$/,
  );
});
