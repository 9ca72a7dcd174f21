import { expect, test } from 'vitest';
import type { RunStatus } from '../../src/contract/index.ts';
import { newStatus } from '../../src/runner/status/index.ts';
import { terminationMessage } from '../../src/runner/termination.ts';
import { runSpec } from './spec.ts';

const IDENTITY = { release: 'aicr', namespace: 'ns', job: 'aicr-install-1', pod: 'p', podUid: 'u' };

const failed = (change: Partial<RunStatus>): RunStatus => ({
  ...newStatus(runSpec, IDENTITY, 'node', new Date(0)),
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
