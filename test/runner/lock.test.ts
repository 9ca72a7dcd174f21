import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeLease, patchLease, readLease, startInPod } from './lease.ts';
import { makeWorld, TWO_COMPONENTS, useProgram, type World } from './run.ts';

useProgram();

/** A deployment that goes on until it is told to, or stopped. */
const WORKS = `
echo '┌─ [1/2] cert-manager  →  cert-manager'
echo "at work as $$"
touch "$TMPDIR/working"
while [ ! -e "$TMPDIR/go" ]; do sleep 0.1; done
${TWO_COMPONENTS}`;

/** Starts a run that works on the cluster until its file is written. */
const startWorking = async (world: World, jobName?: string) => {
  const run = await startInPod(world, { deploy: WORKS, ...(jobName === undefined ? {} : { jobName }) });
  await run.untilFile(join(run.root, 'tmp/working'));
  return { ...run, letGo: () => writeFileSync(join(run.root, 'tmp/go'), '') };
};

const waitSeconds =
  (seconds: number) =>
  (spec: { lock: { namespace: string } }): object => ({
    ...spec,
    lock: { ...spec.lock, waitSeconds: seconds },
  });

test('a run holds the Lease in the name of its pod while it works, and leaves it empty', async () => {
  const world = await makeWorld();
  const run = await startWorking(world);
  const held = await readLease(world);
  expect(held?.spec).toMatchObject({
    holderIdentity: run.holder,
    leaseDurationSeconds: 120,
    leaseTransitions: 0,
    acquireTime: expect.stringMatching(/^20.*\.\d{6}Z$/),
  });
  expect(held?.metadata.annotations).toMatchObject({
    'nvidia-aicr/release': `${world.namespace}/aicr`,
    'nvidia-aicr/job': run.job,
  });
  await expect
    .poll(async () => (await readLease(world))?.spec.renewTime, { timeout: 30_000 })
    .not.toBe(held?.spec.renewTime);
  expect((await readLease(world))?.spec.acquireTime).toBe(held?.spec.acquireTime);
  run.letGo();
  expect(await run.ended, run.output()).toMatchObject({ code: 0 });
  const free = await readLease(world);
  expect(free?.spec.holderIdentity).toBe('');
  expect(free?.metadata.annotations ?? {}).toEqual({});
  // Who waits finds everything written.
  expect(run.output()).toMatch(/Succeeded: all 2 components(.|\n)*released the Lease nvidia-aicr/);
});

test('of four runs that start at once, in two namespaces, never two work at a time, and all come to their turn', async () => {
  const worlds = [await makeWorld(), await makeWorld()];
  const [first] = worlds;
  const namespace = first?.namespace ?? '';
  const root = join(process.env['TMPDIR'] ?? '/tmp', `one-at-a-time-${namespace}`);
  // Making a folder succeeds for one only.
  const deploy = `mkdir '${root}' || { echo 'two at a time'; exit 1; }
sleep 0.5
rmdir '${root}'
${TWO_COMPONENTS}`;
  const runs = await Promise.all(
    [...worlds, ...worlds].map((world, index) =>
      startInPod(world, {
        deploy,
        spec: (spec) => ({
          ...spec,
          release: { ...spec.release, name: `r${index}` },
          status: { configMap: `status-${index}` },
          lock: { ...spec.lock, namespace },
        }),
      }),
    ),
  );
  const ends = await Promise.all(runs.map(({ ended }) => ended));
  expect(
    ends.map(({ code }) => code),
    runs.map((run) => run.output()).join('\n'),
  ).toEqual([0, 0, 0, 0]);
  expect(runs.some((run) => /waiting for the Lease nvidia-aicr/.test(run.output()))).toBe(true);
  expect((await readLease(worlds[0] as World))?.spec).toMatchObject({
    holderIdentity: '',
    leaseTransitions: 3,
  });
});

test('a run that waits says for whom and since when, in status, log and Event, and begins when the Lease is free', async () => {
  const world = await makeWorld();
  const other = await makeWorld();
  const holder = await startWorking(world);
  const waiting = await startInPod(other, {
    spec: (spec) => ({ ...spec, lock: { ...spec.lock, namespace: world.namespace } }),
  });
  await waiting.until(/waiting for the Lease/);
  const [namespace = '', pod = ''] = holder.holder.split('/');
  const since = ((await readLease(world))?.spec.acquireTime ?? '').slice(0, 19).replace('T', ' ');
  const words = `waiting for the Lease nvidia-aicr in namespace ${world.namespace}: pod ${namespace}/${pod} (release ${world.namespace}/aicr, Job ${holder.job}) holds it since ${since} UTC; gives up at this run's own deadline, and waiting counts against job.activeDeadlineSeconds`;
  await expect.poll(async () => (await other.status()).phase).toBe('WaitingForLock');
  expect(await other.status()).toMatchObject({ phase: 'WaitingForLock', message: words });
  await expect
    .poll(() => other.events(waiting.job))
    .toMatchObject([{ reason: 'WaitingForLock', note: words }]);
  expect(waiting.output()).not.toContain('download');
  holder.letGo();
  expect(await holder.ended).toMatchObject({ code: 0 });
  expect(await waiting.ended, waiting.output()).toMatchObject({ code: 0 });
  expect((await other.events(waiting.job)).map(({ reason }) => reason)).toEqual(
    expect.arrayContaining(['WaitingForLock', 'LockTaken', 'Started', 'Succeeded']),
  );
});

test.each([
  ['its pod is gone', (run: Awaited<ReturnType<typeof startWorking>>) => run.removePod()],
  ['its pod has failed', (run: Awaited<ReturnType<typeof startWorking>>) => run.finishPod('Failed')],
])('a holder that crashed holds up nobody once %s', async (_, end) => {
  const world = await makeWorld();
  const other = await makeWorld();
  const holder = await startWorking(world);
  await holder.crash();
  const next = await startInPod(other, {
    spec: (spec) => ({ ...spec, lock: { ...spec.lock, namespace: world.namespace } }),
  });
  await next.until(/waiting for the Lease/);
  await end(holder);
  expect(await next.ended, next.output()).toMatchObject({ code: 0 });
  expect(next.output()).toMatch(/took the Lease nvidia-aicr .*which held it, (is gone|has finished)/);
});

test('a pod of the same name but another uid is not the holder', async () => {
  const world = await makeWorld();
  const holder = await startWorking(world);
  await holder.crash();
  const [namespace = '', pod = ''] = holder.holder.split('/');
  await patchLease(world, { spec: { holderIdentity: `${namespace}/${pod}/former` } });
  const next = await startInPod(world);
  expect(await next.ended, next.output()).toMatchObject({ code: 0 });
});

test('a holder whose pod may not be read counts as at work', async () => {
  const world = await makeWorld([
    { apiGroups: ['batch'], resources: ['jobs'], verbs: ['get', 'list'] },
    { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'patch', 'create'] },
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] },
  ]);
  await makeLease(world, {
    spec: { holderIdentity: `${world.namespace}/pod-x/uid`, leaseDurationSeconds: 120 },
  });
  const run = await startInPod(world, { spec: waitSeconds(4) });
  expect(await run.ended, run.output()).toMatchObject({ code: 83 });
  expect((await readLease(world))?.spec.holderIdentity).toBe(`${world.namespace}/pod-x/uid`);
});

test.each([
  [0, 'at once', /waited not at all \(lock\.waitSeconds\)/],
  [4, 'after four seconds', /waited for 4 s \(lock\.waitSeconds\)/],
])('with lock.waitSeconds %i a run gives up %s, and says who is at work', async (seconds, _, words) => {
  const world = await makeWorld();
  const holder = await startWorking(world, (await world.makeJob('aicr-install-aaaaaaaa')).metadata.name);
  const other = await makeWorld();
  const run = await startInPod(other, {
    spec: (spec) => ({ ...spec, lock: { namespace: world.namespace, waitSeconds: seconds } }),
  });
  expect(await run.ended, run.output()).toMatchObject({ code: 83 });
  expect(run.termination()).toMatch(/^LockTimeout: another run is at work: pod .* holds it since 20/);
  expect(run.termination()).toContain(holder.job);
  expect(run.output()).toMatch(words);
  expect(await other.status()).toMatchObject({ phase: 'Failed', reason: 'LockTimeout' });
  expect((await readLease(world))?.spec.holderIdentity).toBe(holder.holder);
  holder.letGo();
  expect(await holder.ended).toMatchObject({ code: 0 });
});

test('a run that still waits at its own deadline gives the other run as the reason', async () => {
  const world = await makeWorld();
  const other = await makeWorld();
  const holder = await startWorking(world);
  const run = await startInPod(other, {
    job: { activeDeadlineSeconds: 40, startedAgo: 18 },
    spec: (spec) => ({ ...spec, lock: { ...spec.lock, namespace: world.namespace } }),
  });
  expect(await run.ended, run.output()).toMatchObject({ code: 83 });
  expect(run.termination()).toMatch(/^LockTimeout: .*own deadline \(job\.activeDeadlineSeconds\)/);
  holder.letGo();
  expect(await holder.ended).toMatchObject({ code: 0 });
});
