/** What is made of what was found, without a cluster. */
import { expect, test } from 'vitest';
import { newestRunKey } from '../../src/contract/index.ts';
import type { EarlierRun } from '../../src/runner/status/index.ts';
import { ledgerOf } from '../../src/runner/steps/releases/ledger.ts';
import { isOurs } from '../../src/runner/steps/releases/ownership.ts';
import { began, lastProgress, type RecordedProgress } from '../../src/runner/steps/releases/progress.ts';
import { entry, mark, release, time } from './release.ts';

test.each([
  ['nobody recorded it', null, '10:00:05', false],
  ['its first time is the recorded one', '2026-11-30T10:00:05.000Z', '10:00:05', true],
  ['its first time is the recorded one of another time zone', '2026-11-30T11:00:05+01:00', '10:00:05', true],
  ['its first time is a later one', '2026-11-30T10:00:05.000Z', '10:30:00', false],
  ['a run was about to make it, and it appeared afterwards', '', '10:00:05', true],
  ['a run was about to make it, and it appeared in the same moment', '', '10:00:00', true],
  ['a run was about to make it, but it had been there', '', '09:59:59', false],
])('a release is ours or not: %s', (_, recorded, first, ours) => {
  const found = recorded === null ? null : entry(recorded);
  expect(isOurs({ firstDeployed: time(first) }, found)).toBe(ours);
});

test.each([
  ['{"how": "installed"', null],
  ['[]', null],
  ['null', null],
  ['{"how":"installed","firstDeployed":""}', null],
  [JSON.stringify({ ...entry(''), firstDeployed: 7 }), null],
  [JSON.stringify({ ...entry(''), made: null }), null],
  [JSON.stringify({ ...entry(''), deployed: { ...mark, aicr: 1 } }), null],
  [JSON.stringify(entry('')), entry('')],
])('an entry of the list that says %j is taken for %j', (text, read) => {
  const ledger = ledgerOf({ 'alpha-ns.alpha': text });
  expect(ledger.entry({ namespace: 'alpha-ns', name: 'alpha' })).toEqual(read);
  expect(ledger.entry({ namespace: 'alpha-ns', name: 'beta' })).toBeNull();
});

test('the list tells the last run of each release of the chart', () => {
  const half = { by: mark.by, run: mark.run };
  const ledger = ledgerOf({
    [newestRunKey('ns', 'gpu')]: JSON.stringify(mark),
    [newestRunKey('ns', 'half')]: JSON.stringify(half),
    [newestRunKey('ns', 'broken')]: '{',
  });
  expect(ledger.newestRun({ namespace: 'ns', name: 'gpu' })).toEqual(mark);
  for (const name of ['half', 'broken', 'other'])
    expect(ledger.newestRun({ namespace: 'ns', name })).toBeNull();
});

const progress = (change: Partial<RecordedProgress> = {}): RecordedProgress => ({
  job: 'gpu-install-1',
  inProgress: true,
  startedAt: time('10:50:00'),
  updatedAt: time('11:00:01'),
  ...change,
});

test.each([
  ['was at it', progress(), true],
  ['began in the same moment', progress({ startedAt: time('11:00:00') }), true],
  ['had said its last word ten minutes before', progress({ updatedAt: time('10:50:00') }), true],
  ['had ended with it', progress({ inProgress: false }), false],
  ['began after it', progress({ startedAt: time('11:00:01') }), false],
  ['had said its last word a moment before', progress({ updatedAt: time('10:55:00') }), true],
  ['had said its last word long before', progress({ updatedAt: time('10:45:00') }), false],
  ['is not known', null, false],
])('a run began what is pending when it %s', (_, recorded, result) => {
  expect(began(recorded, release())).toBe(result);
});

const run = (
  job: string,
  startedAt: string,
  state: 'Installing' | 'Installed' | 'Interrupted',
  namespace = 'alpha-ns',
): EarlierRun => ({
  job: { name: job, uid: job },
  release: { name: 'gpu', namespace: 'ns' },
  startedAt: `2026-11-30T${startedAt}Z`,
  updatedAt: `2026-11-30T${startedAt}Z`,
  bundle: { digest: '' },
  steps: [],
  components: [{ index: 1, of: 1, name: 'alpha', namespace, state, attempts: 1 }],
});

test('the last run that came to a component tells how far it is', () => {
  const first = run('run-1', '10:00:00', 'Installing');
  const runs = [
    first,
    run('run-2', '11:00:00', 'Installed'),
    run('run-3', '12:00:00', 'Installing', 'elsewhere'),
    { ...run('run-4', '13:00:00', 'Installing'), components: [] },
  ];
  expect(lastProgress(release(), runs)).toMatchObject({ job: 'run-2', inProgress: false });
  expect(lastProgress(release(), [first])).toMatchObject({ job: 'run-1', inProgress: true });
  const stopped = run('run-5', '14:00:00', 'Interrupted');
  expect(lastProgress(release(), [...runs, stopped])).toEqual({
    job: 'run-5',
    inProgress: true,
    startedAt: time('14:00:00'),
    updatedAt: time('14:00:00'),
  });
  expect(lastProgress(release({ name: 'beta' }), runs)).toBeNull();
});
