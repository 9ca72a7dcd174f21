import { expect, test } from 'vitest';
import { deadlineOf, stopGraceMs } from '../../src/runner/deadline.ts';
import type { JobFacts } from '../../src/runner/ports/index.ts';

const START = '2026-11-30T10:00:00Z';

const job = (facts: Partial<JobFacts>): JobFacts => ({
  uid: 'u',
  labels: {},
  startTime: START,
  activeDeadlineSeconds: 10_800,
  graceSeconds: 120,
  endedPods: 0,
  failedPods: 0,
  ...facts,
});

const secondsAfterStart = (facts: Partial<JobFacts>): number | undefined => {
  const at = deadlineOf(job(facts), new Date('2026-11-30T10:00:30Z'))?.at;
  return at === undefined ? undefined : (at.getTime() - Date.parse(START)) / 1000;
};

test('the run ends itself a grace period before its Job does', () => {
  expect(secondsAfterStart({})).toBe(10_680);
});

test('of a short deadline it keeps no more than a quarter', () => {
  expect(secondsAfterStart({ activeDeadlineSeconds: 60 })).toBe(45);
});

test('a Job without a deadline has none', () => {
  expect(secondsAfterStart({ activeDeadlineSeconds: null })).toBeUndefined();
});

test('a Job without a start time counts from when the run began', () => {
  expect(secondsAfterStart({ startTime: null, activeDeadlineSeconds: 60 })).toBe(75);
});

test.each([
  [120_000, 100_000],
  [40_000, 20_000],
  [30_000, 15_000],
  [2000, 1000],
])('of %d ms children may take %d to stop', (available, grace) => {
  expect(stopGraceMs(available)).toBe(grace);
});
