import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { deleteLease, patchLease, readLease, startInPod } from './lease.ts';
import { startProxy } from './proxy.ts';
import { makeWorld, TWO_COMPONENTS, useProgram } from './run.ts';

useProgram();

/** A deployment that goes on until it is told to; when it is stopped it settles first, as helm does. */
const WORKS = `
trap 'echo settled; exit 130' TERM
echo '┌─ [1/2] cert-manager  →  cert-manager'
echo "at work as $$"
while [ ! -e "$TMPDIR/go" ]; do sleep 0.1; done
${TWO_COMPONENTS}`;

const OLDER = 'aicr-install-aaaaaaaa';
const NEWER = 'aicr-install-zzzzzzzz';

test('a newer run of the same release marks the Lease; the older one, which nobody deleted, stops cleanly and hands over', async () => {
  const world = await makeWorld();
  await world.makeJob(OLDER);
  const older = await startInPod(world, { jobName: OLDER, deploy: WORKS });
  await older.until(/at work as/);
  await world.makeJob(NEWER);
  const newer = await startInPod(world, { jobName: NEWER });
  await newer.until(/waiting for the Lease/);
  expect(await older.ended, older.output()).toMatchObject({ code: 85 });
  expect(older.output()).toContain('settled');
  expect(older.termination()).toMatch(
    /^Superseded: superseded by the newer run aicr-install-zzzzzzzz .*component 1 of 2, cert-manager/,
  );
  expect(await newer.ended, newer.output()).toMatchObject({ code: 0 });
  expect(await world.status(OLDER)).toMatchObject({ phase: 'Interrupted', reason: 'Superseded', rerun: '' });
  expect(await world.status()).toMatchObject({ phase: 'Succeeded', job: { name: NEWER } });
  expect((await readLease(world))?.spec).toMatchObject({ holderIdentity: '', leaseTransitions: 1 });
});

test('an older run of the same release that finds a newer one at work ends, and does not disturb it', async () => {
  const world = await makeWorld();
  await world.makeJob(OLDER);
  await world.makeJob(NEWER);
  const newer = await startInPod(world, { jobName: NEWER, deploy: WORKS });
  await newer.until(/at work as/);
  const older = await startInPod(world, { jobName: OLDER, deploy: 'echo deployed' });
  expect(await older.ended, older.output()).toMatchObject({ code: 85 });
  expect(older.output()).not.toContain('download');
  expect((await readLease(world))?.spec.holderIdentity).toBe(newer.holder);
  expect(Object.keys((await readLease(world))?.metadata.annotations ?? {}).join()).not.toContain(
    'superseded',
  );
  writeFileSync(join(newer.root, 'tmp/go'), '');
  expect(await newer.ended, newer.output()).toMatchObject({ code: 0 });
  expect(await world.status()).toMatchObject({ phase: 'Succeeded', job: { name: NEWER } });
});

test('a newer run that does not wait does not stop the older one either', async () => {
  const world = await makeWorld();
  await world.makeJob(OLDER);
  const older = await startInPod(world, { jobName: OLDER, deploy: WORKS });
  await older.until(/at work as/);
  await world.makeJob(NEWER);
  const newer = await startInPod(world, {
    jobName: NEWER,
    spec: (spec) => ({ ...spec, lock: { ...spec.lock, waitSeconds: 0 } }),
  });
  expect(await newer.ended, newer.output()).toMatchObject({ code: 83 });
  expect(Object.keys((await readLease(world))?.metadata.annotations ?? {}).join()).not.toContain(
    'superseded',
  );
  writeFileSync(join(older.root, 'tmp/go'), '');
  expect(await older.ended, older.output()).toMatchObject({ code: 0 });
  // It held the Lease, so what came of it is what the release shows.
  expect(await world.status()).toMatchObject({ phase: 'Succeeded', job: { name: OLDER } });
});

test('a run stopped by SIGTERM leaves the Lease empty, after its status is written', async () => {
  const world = await makeWorld();
  const run = await startInPod(world, { deploy: WORKS });
  await run.until(/at work as/);
  run.child.kill('SIGTERM');
  expect(await run.ended, run.output()).toMatchObject({ code: 81 });
  expect((await readLease(world))?.spec.holderIdentity).toBe('');
  expect(run.output().trimEnd()).toMatch(/released the Lease nvidia-aicr in namespace \S+$/);
  expect(await world.status()).toMatchObject({ phase: 'Interrupted', reason: 'Interrupted' });
});

test('a run that fails leaves the Lease empty, too', async () => {
  const world = await makeWorld();
  const run = await startInPod(world, { deploy: 'exit 1' });
  expect(await run.ended, run.output()).toMatchObject({ code: 60 });
  expect((await readLease(world))?.spec.holderIdentity).toBe('');
});

test('without rights at the end, as after an uninstall, the run says that the next one takes the Lease, and the next one does', async () => {
  const world = await makeWorld();
  const run = await startInPod(world, { deploy: WORKS });
  await run.until(/at work as/);
  await world.revoke();
  run.child.kill('SIGTERM');
  expect(await run.ended, run.output()).toMatchObject({ code: 81 });
  expect(run.output()).toMatch(/WARN: the Lease .* could not be released; the next run takes it .*forbidden/);
  expect((await readLease(world))?.spec.holderIdentity).toBe(run.holder);
  await run.removePod();
  const other = await makeWorld();
  const next = await startInPod(other, {
    spec: (spec) => ({ ...spec, lock: { ...spec.lock, namespace: world.namespace } }),
  });
  expect(await next.ended, next.output()).toMatchObject({ code: 0 });
});

test('a run whose Lease another one took stops its children, leaves the Lease alone, and says who has it', async () => {
  const world = await makeWorld();
  const run = await startInPod(world, { deploy: WORKS });
  await run.until(/at work as \d+/);
  const pid = Number(/at work as (\d+)/.exec(run.output())?.[1]);
  await patchLease(world, {
    metadata: { annotations: { 'nvidia-aicr/release': 'other/gpu', 'nvidia-aicr/job': 'gpu-install-1' } },
    spec: { holderIdentity: 'other/gpu-install-1-x/uid' },
  });
  expect(await run.ended, run.output()).toMatchObject({ code: 84 });
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  expect(run.termination()).toMatch(
    /^LockLost: .*taken from this run by pod other\/gpu-install-1-x \(release other\/gpu, Job gpu-install-1\): interrupted at step deploy/,
  );
  expect((await readLease(world))?.spec.holderIdentity).toBe('other/gpu-install-1-x/uid');
  expect(await world.status()).toMatchObject({ phase: 'Failed', reason: 'LockLost' });
});

test.each([
  ['deleted', deleteLease],
  [
    'emptied',
    (world: Parameters<typeof deleteLease>[0]) => patchLease(world, { spec: { holderIdentity: '' } }),
  ],
])('a Lease that was %s while its run is at work is taken again', async (_, free) => {
  const world = await makeWorld();
  const run = await startInPod(world, { deploy: WORKS });
  await run.until(/at work as/);
  await free(world);
  await expect
    .poll(async () => (await readLease(world))?.spec.holderIdentity, { timeout: 30_000 })
    .toBe(run.holder);
  writeFileSync(join(run.root, 'tmp/go'), '');
  expect(await run.ended, run.output()).toMatchObject({ code: 0 });
  expect((await readLease(world))?.spec.holderIdentity).toBe('');
});

test('an API server that is away for a while neither stops the run at work nor makes one that waits take its Lease', async () => {
  const world = await makeWorld();
  const other = await makeWorld();
  const api = await startProxy(inject('apiServer'));
  const run = await startInPod(world, { deploy: WORKS, api });
  await run.until(/at work as/);
  const waiting = await startInPod(other, {
    api,
    spec: (spec) => ({ ...spec, lock: { ...spec.lock, namespace: world.namespace } }),
  });
  await waiting.until(/waiting for the Lease/);
  api.behaviour = () => 'cut';
  await Promise.all([
    run.until(/cannot be renewed, which is tried again/),
    waiting.until(/WARN: .*trying again/),
  ]);
  api.behaviour = () => 'pass';
  await Promise.all([run.until(/is renewed again after/), waiting.until(/the API server answers again/)]);
  expect((await readLease(world))?.spec.holderIdentity).toBe(run.holder);
  writeFileSync(join(run.root, 'tmp/go'), '');
  expect(await run.ended, run.output()).toMatchObject({ code: 0 });
  expect(await waiting.ended, waiting.output()).toMatchObject({ code: 0 });
  api.stop();
});

test('a ServiceAccount token that is replaced during the run is used from then on', async () => {
  const world = await makeWorld();
  const run = await startInPod(world, { deploy: WORKS });
  await run.until(/at work as/);
  const accounts = `/api/v1/namespaces/${world.namespace}/serviceaccounts`;
  // With another uid of the account its old token is worth nothing.
  await world.admin.call('DELETE', `${accounts}/installer`);
  await world.admin.call('POST', accounts, { metadata: { name: 'installer' } });
  const request = { spec: { expirationSeconds: 3600 } };
  const answer = await world.admin.call('POST', `${accounts}/installer/token`, request);
  const file = join(run.root, 'var/run/secrets/kubernetes.io/serviceaccount/token');
  const before = readFileSync(file, 'utf8');
  await run.until(/cannot be renewed, which is tried again: .*Unauthorized/);
  writeFileSync(file, (answer['status'] as { token: string }).token);
  expect(readFileSync(file, 'utf8')).not.toBe(before);
  await run.until(/is renewed again after/);
  writeFileSync(join(run.root, 'tmp/go'), '');
  expect(await run.ended, run.output()).toMatchObject({ code: 0 });
  expect(await world.status()).toMatchObject({ phase: 'Succeeded' });
  expect((await readLease(world))?.spec.holderIdentity).toBe('');
});
