import { describe, expect, it } from 'vitest';
import { readReport } from '../../src/runner/steps/validate/ctrf.ts';
import { decide, interruptedVerdict } from '../../src/runner/steps/validate/verdict.ts';
import { ctrf, failed, passed, type TestEntry } from './reports.ts';

const good = [passed('a'), passed('b')];
const bad = [passed('a'), failed('b'), failed('c')];
const unsure = [passed('a'), { name: 'd', status: 'other' }];
const skipped = [{ name: 'a', status: 'skipped' }];

function verdictOf(
  exitCode: number | null,
  tests: readonly TestEntry[] | null,
  said = '',
  signal: string | null = null,
) {
  const read = tests === null ? null : readReport(Buffer.from(JSON.stringify(ctrf(tests))));
  const report = read === null || 'unreadable' in read ? null : read;
  return decide({
    ending: { exitCode, signal },
    report,
    missing: report === null ? 'aicr wrote no report' : '',
    said,
  });
}

describe('a verdict', () => {
  it.each([
    [0, good, 'Passed', false],
    [0, skipped, 'NothingChecked', false],
    [0, [], 'NothingChecked', false],
    [8, bad, 'Failed', true],
    [8, unsure, 'Inconclusive', true],
    [8, [...bad, ...unsure], 'Failed', true],
    // --fail-on-error=false in validateArgs hides nothing.
    [0, bad, 'Failed', true],
    [0, unsure, 'Inconclusive', true],
    [0, [{ name: 'p', status: 'pending' }], 'Inconclusive', true],
    // All checks are well, and still aicr did not end well: refused evidence, a timeout, a signal.
    [2, good, 'Incomplete', true],
    [5, good, 'Incomplete', true],
    [8, skipped, 'Incomplete', true],
    [null, good, 'Incomplete', true],
    [0, null, 'NoVerdict', true],
    [1, null, 'NoVerdict', true],
    [2, null, 'NoVerdict', true],
    [8, null, 'NoVerdict', true],
  ] as const)('of exit code %j and checks %j is %s', (exitCode, tests, outcome, isBad) => {
    const verdict = verdictOf(exitCode, tests, '', exitCode === null ? 'SIGKILL' : null);
    expect(verdict).toMatchObject({ outcome, bad: isBad });
    expect(verdict.hint === '').toBe(outcome === 'Passed');
  });

  it('is NotReady when aicr says that readiness is missed', () => {
    const said = '[INVALID_REQUEST] readiness check failed: K8s.server.version expected >= 1.34, got v1.33.1';
    expect(verdictOf(2, null, said)).toMatchObject({
      outcome: 'NotReady',
      message: expect.stringContaining('got v1.33.1'),
    });
  });

  it('is not NotReady for another exit code, whatever aicr says', () => {
    const verdict = verdictOf(8, null, 'readiness probe failed');
    expect(verdict.outcome).toBe('NoVerdict');
    expect(verdict.message).toMatch(
      /^no verdict: aicr wrote no report; aicr validate: readiness probe failed \(exit code 8: .+\)$/,
    );
  });

  it('has aicr’s own words, and how it ended', () => {
    expect(verdictOf(5, good, 'timed out').message).toMatch(
      /^2 checks: 2 passed, but aicr validate did not end well: timed out \(exit code 5: .+\)$/,
    );
    expect(verdictOf(5, good).message).toMatch(/ did not end well: exit code 5: [^()]+$/);
    expect(verdictOf(0, unsure).message).toBe(
      '2 checks: 1 inconclusive (d), 1 passed; aicr validate: exit code 0',
    );
  });

  it('of a run that was stopped says so', () => {
    expect(interruptedVerdict('SIGTERM')).toEqual({
      outcome: 'Interrupted',
      message: 'no verdict: SIGTERM',
      hint: 'Run it again.',
      bad: true,
    });
  });

  it('names no checks that are not listed', () => {
    const summary = { tests: 3, passed: 1, failed: 2 };
    const report = readReport(Buffer.from(JSON.stringify({ results: { summary } })));
    if ('unreadable' in report) throw new Error(report.unreadable);
    const { message } = decide({ ending: { exitCode: 8, signal: null }, report, missing: '', said: '' });
    expect(message).toMatch(/^3 checks: 2 failed, 1 passed; /);
  });

  it('counts and names', () => {
    expect(verdictOf(8, [...bad, ...unsure, ...skipped]).message).toBe(
      '6 checks: 2 failed (b, c), 1 inconclusive (d), 1 skipped, 2 passed; aicr validate: exit code 8: checks failed or came to no conclusion',
    );
    expect(verdictOf(0, bad).message).toContain('exit code 0');
    expect(verdictOf(0, []).message).toBe('no check ran');
    expect(verdictOf(0, [passed('a')]).message).toBe('1 check: 1 passed');
    const five = ['f0', 'f1', 'f2', 'f3', 'f4'].map((name) => failed(name));
    expect(verdictOf(8, five).message).toContain('5 failed (f0, f1, f2, f3, f4);');
    expect(
      verdictOf(
        8,
        Array.from({ length: 9 }, (_, index) => failed(`f${index}`)),
      ).message,
    ).toContain('9 failed (f0, f1, f2, f3, f4, and 4 more)');
  });

  it.each([
    [2, 'readiness constraint, or an input was refused'],
    [3, 'was not found'],
    [5, 'a timeout'],
    [8, 'failed before there was a verdict'],
    [9, 'interrupted'],
    [77, 'exit code 77'],
  ])('without a report puts exit code %i into words', (exitCode, words) => {
    expect(verdictOf(exitCode, null).message).toContain(words);
    expect(verdictOf(exitCode, null).message).toContain('aicr wrote no report');
  });

  it('says who ended aicr', () => {
    expect(verdictOf(null, null, '', 'SIGKILL').message).toContain('out of memory');
    expect(verdictOf(null, null, '', 'SIGSEGV').message).toContain('SIGSEGV');
  });
});
