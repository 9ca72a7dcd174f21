import { expect, test } from 'vitest';
import { claimOf, podOf } from '../../src/runner/lock/claim.ts';
import { claimIn, successorIn, takenLease } from '../../src/runner/lock/document.ts';
import { afterFailure, afterRead, newWatch } from '../../src/runner/lock/watch.ts';
import { claim, heldBy, NAMESPACE } from './leases.ts';

const ME = claim('aicr-install-2', 2);

test('a run claims the Lease as its pod, for its release and Job', () => {
  const identity = { namespace: 'ns', pod: 'p', podUid: 'u', release: 'aicr', job: 'aicr-install-2' };
  expect(claimOf(identity, '2026-11-30T10:00:02Z')).toEqual({
    holder: 'ns/p/u',
    release: 'ns/aicr',
    job: { name: 'aicr-install-2', createdAt: '2026-11-30T10:00:02Z' },
  });
});

test.each([
  ['ns/p/u', { namespace: 'ns', name: 'p', uid: 'u' }],
  ['someone', null],
  ['/p/u', null],
  ['ns//u', null],
  ['ns/p/', null],
  ['ns/p', null],
  ['ns/p/u/more', null],
])('the pod of the holder %j is %j', (holder, pod) => {
  expect(podOf(holder)).toEqual(pod);
});

test('a Lease that somebody else wrote names no release, no Job and no successor', () => {
  const lease = heldBy(ME, { holder: 'someone', annotations: {} });
  expect(claimIn(lease)).toEqual({ holder: 'someone', release: '', job: { name: '', createdAt: '' } });
  expect(successorIn(lease)).toBeNull();
  const named = { ...lease, annotations: { 'nvidia-aicr/superseded-by': 'aicr-install-3' } };
  expect(successorIn(named)).toEqual({ name: 'aicr-install-3', createdAt: '' });
});

test('the first Lease is a new object; one that is taken in the same moment has another sign of life', () => {
  const at = new Date('2026-11-30T12:00:00.999Z');
  const first = takenLease(null, NAMESPACE, ME, at);
  expect(first).toMatchObject({
    name: 'nvidia-aicr',
    namespace: NAMESPACE,
    resourceVersion: '',
    labels: { 'nvidia-aicr/written-by': 'run' },
    holder: ME.holder,
    durationSeconds: 120,
    acquireTime: '2026-11-30T12:00:00.999000Z',
    renewTime: '2026-11-30T12:00:00.999000Z',
    transitions: 0,
  });
  expect(takenLease(first, NAMESPACE, ME, at).renewTime).toBe('2026-11-30T12:00:01.000000Z');
});

test('silence counts from one successful read to the next, unless more than half a minute went by unread', () => {
  const lease = heldBy(ME);
  const seen = afterRead(newWatch, lease, 1000);
  expect(seen.unchangedMs).toBe(0);
  expect(afterRead(seen, lease, 31_000).unchangedMs).toBe(30_000);
  expect(afterRead(seen, lease, 31_001).unchangedMs).toBe(0);
  expect(afterRead(afterFailure(seen), lease, 5000)).toEqual({ ...seen, readAt: 5000 });
  const renewed = { ...lease, renewTime: '2026-11-30T11:00:15.000000Z' };
  expect(afterRead(afterRead(seen, lease, 9000), renewed, 10_000).unchangedMs).toBe(0);
});
