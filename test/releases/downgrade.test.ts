import { expect, test } from 'vitest';
import {
  describeDowngrade,
  downgradeError,
  findNewer,
  type Newer,
} from '../../src/runner/steps/releases/downgrade.ts';
import type { LedgerEntry, RunMark } from '../../src/runner/steps/releases/ledger.ts';
import { entry, FIRST, ledger, mark, missing, SELF, there } from './release.ts';

const by = (aicr: string, run = `run-of-${aicr}`): RunMark => ({ ...mark, aicr, run });
const find = (
  entries: Readonly<Record<string, LedgerEntry>>,
  newest?: RunMark,
  found = [there('alpha'), there('beta'), missing('gamma')],
  aicr = 'v1.2.0',
): Newer | null => findNewer(aicr, found, ledger(entries, newest), SELF);

test.each(['v1.2.0', 'v1.1.9', 'v1.2.0-rc1', 'main'])(
  'an aicr %s that reached deploy before is none that is newer than v1.2.0',
  (aicr) => {
    expect(find({ alpha: entry(FIRST, by(aicr)) }, by(aicr))).toBeNull();
  },
);

test('the last run of the same release of the chart counts, whatever came of it', () => {
  expect(find({}, by('v1.3.0'))).toEqual({ ...by('v1.3.0'), component: '' });
  expect(find({}, by('v1.3.0'), [])).toEqual({ ...by('v1.3.0'), component: '' });
});

test('the run that deployed a component last counts as far as the component is its', () => {
  const newer = entry(FIRST, by('v1.3.0'));
  expect(find({ beta: newer })).toEqual({ ...by('v1.3.0'), component: 'beta' });
  expect(find({ gamma: newer, delta: newer })).toBeNull();
  expect(find({ alpha: { ...newer, firstDeployed: '2026-11-30T09:00:00Z' } })).toBeNull();
  expect(find({ alpha: { ...newer, deployed: mark, made: by('v1.3.0') } })).toBeNull();
});

test('the newest of several is told', () => {
  const entries = { alpha: entry(FIRST, by('v1.10.0')), beta: entry(FIRST, by('v1.4.0')) };
  expect(find(entries, by('v1.3.0'))).toMatchObject({ aicr: 'v1.10.0', component: 'alpha' });
  expect(find(entries, by('v1.11.0'))).toMatchObject({ aicr: 'v1.11.0', component: '' });
});

test('a version that is no release tag is not compared', () => {
  expect(find({ alpha: entry(FIRST, by('v9.0.0')) }, by('v9.0.0'), [there('alpha')], 'main')).toBeNull();
});

test('a downgrade is refused with both versions, the run, and the two ways on', () => {
  const newer = { ...by('v1.3.0', 'gpu-install-7'), component: '' };
  const where = 'at 2026-11-30T10:00:00.000Z';
  expect(downgradeError('v1.2.0', newer)).toMatchObject({
    code: 'DowngradeRefused',
    message: `aicr v1.2.0 is older than v1.3.0, with which run gpu-install-7 of release ns/gpu came to deploy ${where}`,
    hint: 'See in the status of run gpu-install-7 what became of it, and go on with aicrVersion v1.3.0 or a newer one. To go back on purpose: deploy.allowDowngrade: true.',
  });
  expect(describeDowngrade('v1.2.0', { ...newer, component: 'alpha' })).toBe(
    `aicr v1.2.0 is older than v1.3.0, with which run gpu-install-7 of release ns/gpu deployed alpha ${where}`,
  );
});
