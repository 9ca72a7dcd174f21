import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { startProxy } from './proxy.ts';
import { makeWorld, TWO_COMPONENTS, useProgram, type World } from './run.ts';

useProgram();

const WAITS = `touch "$TMPDIR/waiting"
while [ ! -e "$TMPDIR/go" ]; do sleep 0.05; done
${TWO_COMPONENTS}`;

/** Applies a ConfigMap key as a field manager. */
const apply = async (world: World, manager: string, data: Record<string, string>): Promise<void> => {
  const path = `/api/v1/namespaces/${world.namespace}/configmaps/aicr-status?fieldManager=${manager}`;
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'aicr-status' }, data };
  await world.admin.call('PATCH', path, body, 'application/apply-patch+yaml');
};

test('status.json belongs to the run that holds the Lease, though a newer Job has come', async () => {
  const world = await makeWorld();
  const old = await world.start({ deploy: WAITS });
  await old.untilFile(join(old.root, 'tmp/waiting'));
  await expect.poll(async () => (await world.status()).job.name).toBe(old.job);
  // Job times have a resolution of a second; within one, the greater name counts as the newer.
  await world.makeJob('aicr-install-zzzzzzzz');
  writeFileSync(join(old.root, 'tmp/go'), '');
  expect(await old.ended, old.output()).toMatchObject({ code: 0 });
  expect(await world.status()).toMatchObject({ phase: 'Succeeded', job: { name: old.job } });
  expect((await world.configMap('aicr-status'))?.data['summary.txt']).toContain(old.job);
});

test('a run that is not the newest and does not hold the Lease writes its own key alone', async () => {
  const world = await makeWorld();
  for (const name of ['aicr-install-aaaaaaaa', 'aicr-install-zzzzzzzz']) await world.makeJob(name);
  const young = await world.start({ jobName: 'aicr-install-zzzzzzzz' });
  expect(await young.ended, young.output()).toMatchObject({ code: 0 });
  const old = await world.start({ jobName: 'aicr-install-aaaaaaaa' });
  expect(await old.ended, old.output()).toMatchObject({ code: 85 });
  expect(await world.status()).toMatchObject({ phase: 'Succeeded', job: { name: young.job } });
  expect(await world.status(old.job)).toMatchObject({
    phase: 'Interrupted',
    reason: 'Superseded',
    rerun: '',
  });
});

test('Jobs of other releases, and other Jobs of the same release, do not count', async () => {
  const world = await makeWorld();
  const run = await world.start({ deploy: WAITS });
  await run.untilFile(join(run.root, 'tmp/waiting'));
  await world.makeJob('zzz-migrations-zzzzzzzz');
  writeFileSync(join(run.root, 'tmp/go'), '');
  expect(await run.ended, run.output()).toMatchObject({ code: 0 });
  expect(await world.status()).toMatchObject({ phase: 'Succeeded', job: { name: run.job } });
});

test('the documents of the last five runs are kept', async () => {
  const world = await makeWorld();
  for (const day of [1, 2, 3, 4, 5, 6, 7]) {
    const text = JSON.stringify({ startedAt: `2026-11-0${day}T00:00:00.000Z` });
    await apply(world, `nvidia-aicr.aicr-install-000${day}`, { [`aicr-install-000${day}.json`]: text });
  }
  const run = await world.start();
  expect(await run.ended, run.output()).toMatchObject({ code: 0 });
  const { data, object } = (await world.configMap('aicr-status')) ?? {};
  expect(Object.keys(data ?? {}).sort()).toEqual(
    [
      ...[4, 5, 6, 7].map((day) => `aicr-install-000${day}.json`),
      `${run.job}.json`,
      'status.json',
      'summary.txt',
    ].sort(),
  );
  const managers = object?.metadata.managedFields?.map(({ manager }) => manager) ?? [];
  expect(managers).not.toContain('nvidia-aicr.aicr-install-0001');
});

test('keys that somebody else wrote before are taken over', async () => {
  const world = await makeWorld();
  await apply(world, 'helm', { 'status.json': '{}', 'summary.txt': 'of another chart' });
  const run = await world.start();
  expect(await run.ended, run.output()).toMatchObject({ code: 0 });
  expect((await world.status()).phase).toBe('Succeeded');
});

test('a status document that cannot be written does not fail the install', async () => {
  const world = await makeWorld();
  const path = `/api/v1/namespaces/${world.namespace}/configmaps`;
  await world.admin.call('POST', path, { metadata: { name: 'aicr-status' }, immutable: true, data: {} });
  const run = await world.start();
  expect(await run.ended, run.output()).toMatchObject({ code: 0 });
  expect(run.output()).toMatch(/WARN: the status document could not be written: .*immutable/);
  expect(run.termination()).toMatch(/^Succeeded: /);
});

test('a later pod of the same Job counts as the next attempt', async () => {
  const world = await makeWorld();
  await world.makeJob('aicr-install-0a0a0a0a');
  const first = await world.start({ jobName: 'aicr-install-0a0a0a0a', deploy: WAITS });
  await first.untilFile(join(first.root, 'tmp/waiting'));
  await expect.poll(async () => (await world.status()).message).toContain('deploy.sh');
  // As a node that goes away: no more word of it.
  first.child.kill('SIGKILL');
  await first.ended;

  const second = await world.start({ jobName: 'aicr-install-0a0a0a0a' });
  expect(await second.ended, second.output()).toMatchObject({ code: 0 });
  expect(await world.status()).toMatchObject({ phase: 'Succeeded', run: { attempt: 2 } });
  expect(await world.events(second.job)).toContainEqual(
    expect.objectContaining({ reason: 'Started', note: expect.stringContaining('attempt 2') }),
  );
});

/** Starts the next attempt of a Job whose last one left this document. */
const attemptAfter = async (world: World, attempt: number, failed: number, uid?: string) => {
  const name = `aicr-install-0${attempt}${failed}b0b0b0`;
  const job = await world.makeJob(name, { failed });
  const left = { job: { uid: uid ?? job.metadata.uid }, pod: { uid: 'another' }, run: { attempt } };
  await apply(world, `nvidia-aicr.${name}`, { [`${name}.json`]: JSON.stringify(left) });
  const run = await world.start({ jobName: name });
  return { run, ended: await run.ended };
};

test('after five disruptions the run gives up', async () => {
  const world = await makeWorld();
  const { run, ended } = await attemptAfter(world, 5, 0);
  expect(ended, run.output()).toMatchObject({ code: 82 });
  expect(await world.status()).toMatchObject({
    phase: 'Failed',
    reason: 'DisruptedTooOften',
    run: { attempt: 6 },
  });
  expect(run.termination()).toMatch(/^DisruptedTooOften: .*5 times/);
});

test('pods that failed by themselves, and those of a former Job of the same name, are no disruptions', async () => {
  const world = await makeWorld();
  const failed = await attemptAfter(world, 5, 2);
  expect(failed.ended, failed.run.output()).toMatchObject({ code: 0 });
  const former = await attemptAfter(world, 9, 0, 'of-the-former');
  expect(former.ended, former.run.output()).toMatchObject({ code: 0 });
});

test('a status document that cannot be written for a while is written later, and the install goes on meanwhile', async () => {
  const world = await makeWorld();
  const api = await startProxy(inject('apiServer'));
  const breaks = (call: { method?: string | undefined; url?: string | undefined }): boolean =>
    call.method === 'PATCH' && call.url?.includes('/configmaps/aicr-status') === true;
  api.behaviour = (call) => (breaks(call) ? 500 : 'pass');
  const run = await world.start({ api, deploy: WAITS });
  await run.untilFile(join(run.root, 'tmp/waiting'));
  await run.until(/WARN: the status document cannot be written, .*broken on purpose/);
  api.behaviour = () => 'pass';
  await run.until(/the status document is written again/);
  expect(await world.status()).toMatchObject({ phase: 'Running' });

  // The end of the run falls into another break.
  api.behaviour = () => 'cut';
  writeFileSync(join(run.root, 'tmp/go'), '');
  await run.until(/Succeeded: all 2 components/);
  setTimeout(() => {
    api.behaviour = () => 'pass';
  }, 4000);
  expect(await run.ended, run.output()).toMatchObject({ code: 0 });
  api.stop();
  expect(await world.status()).toMatchObject({ phase: 'Succeeded' });
});
