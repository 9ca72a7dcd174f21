import { afterEach, expect, test, vi } from 'vitest';
import { alarmAt, deadlineOf, returnMs, stopGraceMs } from '../../src/runner/deadline.ts';
import type { JobFacts } from '../../src/runner/ports/index.ts';

const START = '2026-11-30T10:00:00Z';

const job = (facts: Partial<JobFacts>): JobFacts => ({
  uid: 'u',
  labels: {},
  startTime: START,
  activeDeadlineSeconds: 10_800,
  createdAt: '',
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

test('a deadline beyond all dates is the last one', () => {
  const far = deadlineOf(job({ activeDeadlineSeconds: Number.MAX_SAFE_INTEGER }), new Date());
  expect(far?.at.toISOString()).toBe('+275760-09-13T00:00:00.000Z');
});

test('a Job without a deadline has none', () => {
  expect(secondsAfterStart({ activeDeadlineSeconds: null })).toBeUndefined();
});

test('a Job without a start time counts from when the run began', () => {
  expect(secondsAfterStart({ startTime: null, activeDeadlineSeconds: 60 })).toBe(75);
});

test.each([
  [120_000, 100_000, 10_000],
  [40_000, 20_000, 10_000],
  [30_000, 15_000, 7500],
  [2000, 1000, 500],
])('of %d ms children may take %d to stop, and the step %d to come back', (available, grace, back) => {
  expect(stopGraceMs(available)).toBe(grace);
  expect(returnMs(available)).toBe(back);
});

afterEach(() => void vi.useRealTimers());

test('an alarm rings when its time comes, even one further off than a timer can be set', () => {
  vi.useFakeTimers({ now: 0 });
  const rung: number[] = [];
  const now = (): Date => new Date();
  const day = 24 * 3600 * 1000;
  const take = alarmAt(new Date(50 * day), now, () => rung.push(1));
  alarmAt(new Date(60 * day), now, () => rung.push(2));
  alarmAt(new Date(-1), now, () => rung.push(0));
  vi.advanceTimersByTime(1);
  expect(rung).toEqual([0]);
  vi.advanceTimersByTime(49 * day);
  expect(rung).toEqual([0]);
  take();
  vi.advanceTimersByTime(20 * day);
  expect(rung).toEqual([0, 2]);
});
