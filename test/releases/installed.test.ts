import { expect, test } from 'vitest';
import { findInstalled, setFailed } from '../../src/runner/steps/releases/installed.ts';
import { testContext } from '../steps/context.ts';
import { unreachable } from '../steps/memory-cluster.ts';
import { HelmCluster } from './helm-cluster.ts';
import { release, time } from './release.ts';

const ALPHA = { name: 'alpha', namespace: 'alpha-ns' };

test('of a release counts the revision of the greatest number', async () => {
  const cluster = new HelmCluster();
  cluster.install('alpha', 10, { status: 'pending-upgrade' });
  cluster.install('alpha', 9);
  cluster.install('beta', 11, {}, 'alpha-ns');
  expect(await findInstalled(ALPHA, testContext(cluster).context)).toEqual(
    release({ revision: 10, secret: 'sh.helm.release.v1.alpha.v10' }),
  );
});

test('a release that is not there, or uninstalled with its history kept, is none', async () => {
  const cluster = new HelmCluster();
  cluster.install('beta', 1);
  const { context } = testContext(cluster);
  expect(await findInstalled(ALPHA, context)).toBeNull();
  cluster.install('alpha', 1, { status: 'uninstalled' });
  expect(await findInstalled(ALPHA, context)).toBeNull();
});

test('a release that goes while it is looked at is none', async () => {
  const cluster = new HelmCluster();
  cluster.install('alpha', 1);
  cluster.readSecret = async () => null;
  expect(await findInstalled(ALPHA, testContext(cluster).context)).toBeNull();
});

test('what has the labels of a release and is none stops the run, by its name', async () => {
  const cluster = new HelmCluster();
  cluster.store('alpha', 3, 'bm9uc2Vuc2U=');
  await expect(findInstalled(ALPHA, testContext(cluster).context)).rejects.toMatchObject({
    code: 'ForeignRelease',
    message:
      'Secret sh.helm.release.v1.alpha.v3 in namespace alpha-ns is labelled as Helm release alpha and cannot be read as one',
    hint: 'See what helm history alpha -n alpha-ns makes of it, and remove the Secret if nothing.',
  });
});

test('a release is set to failed in its record and its label, with the second of the change', async () => {
  const cluster = new HelmCluster();
  cluster.install('alpha', 2, { status: 'pending-upgrade', notes: 'kept' });
  const { context } = testContext(cluster);
  const now = (): Date => new Date(time('12:00:00') + 999);
  const done = setFailed(release(), 'why', { ...context, clock: { ...context.clock, now } });
  expect(await done).toBe(true);
  expect(cluster.revision('alpha', 2)).toMatchObject({
    labels: {
      owner: 'helm',
      name: 'alpha',
      status: 'failed',
      modifiedAt: String(time('12:00:00') / 1000),
    },
    record: { name: 'alpha', info: { status: 'failed', description: 'why', notes: 'kept' } },
  });
});

test('a release that is another one by now, is gone or cannot be read is not changed', async () => {
  const cluster = new HelmCluster();
  const { context } = testContext(cluster);
  expect(await setFailed(release(), 'why', context)).toBe(false);
  cluster.install('alpha', 2, { status: 'pending-upgrade' });
  expect(await setFailed(release({ resourceVersion: '0' }), 'why', context)).toBe(false);
  expect(cluster.revision('alpha', 2)?.record?.info.status).toBe('pending-upgrade');
  cluster.store('alpha', 2, 'bm9uc2Vuc2U=');
  expect(await setFailed(release(), 'why', context)).toBe(false);
});

test('an API server that does not answer at once is asked again, by every call', async () => {
  const cluster = new HelmCluster();
  cluster.install('alpha', 2, { status: 'pending-upgrade' });
  const { context, recorded } = testContext(cluster);
  for (const call of ['listSecrets', 'readSecret', 'changeSecret'] as const) {
    const works = cluster[call].bind(cluster) as () => Promise<never>;
    let asked = 0;
    cluster[call] = async (...args: readonly unknown[]): Promise<never> => {
      asked += 1;
      if (asked === 1) throw unreachable;
      return await works(...(args as []));
    };
  }
  expect(await findInstalled(ALPHA, context)).toEqual(release());
  expect(recorded.retries).toHaveLength(2);
  expect(await setFailed(release(), 'why', context)).toBe(true);
  expect(recorded.retries).toHaveLength(3);
});
