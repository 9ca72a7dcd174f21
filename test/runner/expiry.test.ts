import { expect, test } from 'vitest';
import { patchLease, readLease, startInPod } from './lease.ts';
import { makeWorld, useProgram } from './run.ts';

useProgram();

/** A time that differs from every other by far, as of a machine with a wrong clock. */
const WRONG = ['1999-01-01T00:00:00.000000Z', '2101-01-01T00:00:00.000000Z'];

test('a holder that gives no sign of life for two minutes loses the Lease; times that it writes do not count, and it stops when it comes back', async () => {
  const world = await makeWorld();
  const other = await makeWorld();
  const holder = await startInPod(world, { deploy: 'echo "at work as $$"; sleep 600 & wait' });
  await holder.until(/at work as/);
  // As in a node that hangs: the pod's object stays as it is.
  holder.child.kill('SIGSTOP');
  await patchLease(world, { spec: { renewTime: WRONG[0] } });
  const next = await startInPod(other, {
    spec: (spec) => ({ ...spec, lock: { ...spec.lock, namespace: world.namespace } }),
  });
  await next.until(/waiting for the Lease/);
  // A sign of life, whatever time it tells.
  await patchLease(world, { spec: { renewTime: WRONG[1] } });
  const heard = performance.now();
  await next.until(/took the Lease .*has given no sign of life for 120 s/);
  expect(performance.now() - heard).toBeGreaterThan(115_000);
  expect(await next.ended, next.output()).toMatchObject({ code: 0 });
  holder.child.kill('SIGCONT');
  expect(await holder.ended, holder.output()).toMatchObject({ code: 84 });
  expect(holder.termination()).toMatch(/^LockLost: .*by another one, which has ended since/);
  expect((await readLease(world))?.spec.holderIdentity).toBe('');
}, 240_000);
