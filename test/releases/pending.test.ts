import { expect, test } from 'vitest';
import {
  busyError,
  heal,
  isLeaving,
  isPending,
  judgePending,
  leavingError,
} from '../../src/runner/steps/releases/pending.ts';
import type { RecordedProgress } from '../../src/runner/steps/releases/progress.ts';
import { testContext } from '../steps/context.ts';
import { HelmCluster } from './helm-cluster.ts';
import { release, time } from './release.ts';

test.each([
  ['pending-install', true],
  ['pending-upgrade', true],
  ['pending-rollback', true],
  ['deployed', false],
  ['failed', false],
  ['uninstalling', false],
])('status %s is pending: %s', (status, pending) => {
  expect(isPending({ status })).toBe(pending);
});

test.each([
  ['uninstalling', true],
  ['uninstalled', false],
  ['pending-install', false],
  ['deployed', false],
])('status %s is that of a release that helm removes: %s', (status, leaving) => {
  expect(isLeaving({ status })).toBe(leaving);
});

const progress: RecordedProgress = {
  job: 'gpu-install-1',
  inProgress: true,
  startedAt: time('10:50:00'),
  updatedAt: time('11:00:01'),
};
const stopped = { kind: 'abandoned', why: 'run gpu-install-1 was stopped in the middle of it' };
const busy = { kind: 'busy', until: new Date('2026-11-30T11:05:00Z') };

test.each([
  ['a moment ago, recorded', progress, '11:00:01', stopped],
  ['a moment ago', null, '11:00:01', busy],
  ['as long ago as helm may take', null, '11:05:00', busy],
  [
    'longer ago than helm may take',
    null,
    '11:05:31',
    { kind: 'abandoned', why: 'helm began 6 min ago and had 5 min' },
  ],
])('what helm began %s is abandoned or not', (_, recorded, now, verdict) => {
  expect(judgePending(release(), 300_000, recorded, new Date(time(now)))).toEqual(verdict);
});

const at = (hour: string): { readonly until: Date } => ({ until: new Date(time(hour)) });
const hint = (until: string, rollback = ''): string =>
  `Let whoever runs helm finish, then run again. If nobody does, a run after ${until} sets it to failed and goes on${rollback}.`;

test('a run that finds somebody at work says on what, since when, and until when it counts', () => {
  const beta = release({ name: 'beta', namespace: 'beta-ns', status: 'pending-install', revision: 1 });
  const began = 'since 2026-11-30T11:00:00.000Z';
  expect(busyError([{ release: beta, ...at('11:05:00') }])).toMatchObject({
    code: 'ReleasePending',
    message: `helm is in the middle of beta in namespace beta-ns (pending-install ${began}), and no run of this release began that`,
    hint: hint('2026-11-30T11:05:00.000Z'),
  });
  const both = [
    { release: release(), ...at('11:20:00') },
    { release: beta, ...at('11:05:00') },
  ];
  expect(busyError(both)).toMatchObject({
    message: `helm is in the middle of alpha in namespace alpha-ns (pending-upgrade ${began}), beta in namespace beta-ns (pending-install ${began}), and no run of this release began that`,
    hint: hint('2026-11-30T11:20:00.000Z', ', or end it by hand: helm rollback alpha -n alpha-ns'),
  });
});

test('releases that are being uninstalled are named with the commands that finish it', () => {
  const beta = release({ name: 'beta', namespace: 'beta-ns' });
  expect(leavingError([release(), beta])).toMatchObject({
    code: 'ReleasePending',
    message:
      'helm is uninstalling alpha in namespace alpha-ns, beta in namespace beta-ns, or was killed in the middle of it, and helm upgrades no such release',
    hint: 'Let whoever runs helm finish, or bring it to an end by hand: helm uninstall alpha -n alpha-ns; helm uninstall beta -n beta-ns. Then run again.',
  });
});

test('what a killed run left pending is set to failed, with the reason, and that is said', async () => {
  const cluster = new HelmCluster();
  cluster.install('alpha', 2, { status: 'pending-upgrade' });
  const { context, recorded } = testContext(cluster);
  expect(await heal(release(), 'because', context)).toBe(true);
  expect(cluster.revision('alpha', 2)?.record?.info).toMatchObject({
    status: 'failed',
    description: 'pending-upgrade was abandoned: because; set to failed by nvidia-aicr',
  });
  expect(recorded.warnings).toEqual([
    'Helm release alpha in namespace alpha-ns was left in pending-upgrade (because); it was set to failed, and deploy.sh goes on from there',
  ]);
});

test.each(['deployed', 'failed'])(
  'what somebody else brought to %s meanwhile is left so, and nothing is said of it',
  async (status) => {
    const cluster = new HelmCluster();
    cluster.install('alpha', 2, { status });
    const { context, recorded } = testContext(cluster);
    expect(await heal(release({ resourceVersion: '0' }), 'because', context)).toBe(false);
    expect(cluster.revision('alpha', 2)?.record?.info.status).toBe(status);
    expect(recorded.warnings).toEqual([]);
  },
);

test('what somebody else works on meanwhile stops the run', async () => {
  const cluster = new HelmCluster();
  cluster.install('alpha', 2, { status: 'superseded' });
  cluster.install('alpha', 3, { status: 'pending-rollback' });
  const { context, recorded } = testContext(cluster);
  const now = (): Date => new Date('2026-11-30T12:00:00Z');
  const ended = heal(release({ resourceVersion: '0' }), 'because', {
    ...context,
    clock: { ...context.clock, now },
  });
  await expect(ended).rejects.toMatchObject({
    code: 'ReleasePending',
    message: expect.stringContaining('alpha in namespace alpha-ns (pending-rollback since'),
    hint: expect.stringContaining('a run after 2026-11-30T12:00:00.000Z'),
  });
  expect(recorded.warnings).toEqual([]);
});

test('what is gone by now is not said to be set to failed', async () => {
  const { context, recorded } = testContext(new HelmCluster());
  expect(await heal(release(), 'because', context)).toBe(false);
  expect(recorded.warnings).toEqual([]);
});
