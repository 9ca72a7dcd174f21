/** One entry of a CTRF report. */
export interface TestEntry {
  readonly name?: unknown;
  readonly status?: unknown;
  readonly suite?: unknown;
  readonly message?: unknown;
  readonly stdout?: unknown;
}

export const passed = (name: string): TestEntry => ({ name, status: 'passed', suite: ['deployment'] });
export const failed = (name: string, message = ''): TestEntry => ({
  name,
  status: 'failed',
  suite: ['deployment'],
  message,
});

/** A CTRF report as aicr writes it, its summary counted. */
export function ctrf(tests: readonly TestEntry[], summary: object = countsOf(tests)): object {
  return {
    reportFormat: 'CTRF',
    specVersion: '0.0.1',
    timestamp: '2026-11-30T02:54:04Z',
    generatedBy: 'aicr',
    results: { tool: { name: 'aicr', version: '1.2.0' }, summary, tests },
  };
}

function countsOf(tests: readonly TestEntry[]): object {
  const count = (status: string): number => tests.filter((test) => test.status === status).length;
  return {
    tests: tests.length,
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
    pending: count('pending'),
    other: count('other'),
    start: 1796007103800,
    stop: 1796007244286,
  };
}
