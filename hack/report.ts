import { readFileSync } from 'node:fs';

/** What came of a suite. */
export interface Count {
  passed: number;
  failed: number;
}

/** Counts of vitest's JSON report; a file that could not be loaded has no tests in it and counts as one failure. */
export function readReport(file: string): Count {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8')) as {
      numPassedTests: number;
      numFailedTests: number;
      testResults: { status: string; assertionResults: { status: string }[] }[];
    };
    const unloaded = report.testResults.filter(
      ({ status, assertionResults }) =>
        status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
    );
    return { passed: report.numPassedTests, failed: report.numFailedTests + unloaded.length };
  } catch {
    return { passed: 0, failed: 0 };
  }
}
