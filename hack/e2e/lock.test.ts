import { expect } from 'vitest';
import type { RunStatus } from '../../src/contract/index.ts';
import { leaseHolder } from './lease.ts';
import { listReleases } from './release.ts';
import { test, WAITING } from './scenario.ts';
import { installSlowly } from './slow.ts';

/** When a run began to work on the cluster. */
const begunAt = ({ steps }: RunStatus): number => Date.parse(steps[0]?.startedAt ?? '');

test('an upgrade with a changed value during an install hands over: the old run stops, the new one takes over and converges', async ({
  scenario,
}) => {
  const { release, values, job: first } = await installSlowly(scenario);
  const pod = await first.running();
  expect(await leaseHolder(scenario)).toBe(
    `${scenario.namespace.name}/${pod.metadata.name}/${pod.metadata.uid}`,
  );

  await release.upgrade({ ...values, runId: 'changed' });
  const stopped = await release.statusWhen('it has ended', ({ finishedAt }) => finishedAt !== '', first);
  expect(stopped).toMatchObject({ phase: 'Interrupted', reason: 'Interrupted' });
  const second = await release.job();
  await scenario.releaseSlowComponent();
  expect(await second.ended(), await second.story()).toBe('Complete');
  const status = await release.status();
  expect(status).toMatchObject({ phase: 'Succeeded', job: { name: second.name } });
  expect(begunAt(status)).toBeGreaterThanOrEqual(Date.parse(stopped.finishedAt));
  expect(await listReleases(scenario.cluster, `${scenario.word}-slow`)).toMatchObject([
    { status: 'deployed' },
  ]);
  expect(await leaseHolder(scenario)).toBe('');
});

test('a changed value whose old Job nobody deletes, as under Argo CD without pruning, hands over all the same', async ({
  scenario,
}) => {
  const { values } = await scenario.pack('acme-slow');
  await scenario.packSecret();
  const release = scenario.release();
  const apply = async (changed: object): Promise<void> => {
    for (const object of await release.template({ ...values, ...WAITING, ...changed })) {
      await scenario.namespace.apply(object);
    }
  };
  await apply({});
  const first = await release.job();
  await release.statusWhen('a component is being installed', ({ components }) => components.length === 1);

  await apply({ runId: 'changed' });
  expect(await first.ended()).toBe('Failed');
  const stopped = await release.statusOf(first);
  expect(stopped).toMatchObject({ phase: 'Interrupted', reason: 'Superseded', rerun: '' });
  const second = (await release.jobs()).find(({ name }) => name !== first.name) ?? first;
  expect(await first.termination()).toMatchObject({
    exitCode: 85,
    message: expect.stringContaining(second.name),
  });
  await scenario.releaseSlowComponent();
  expect(await second.ended(), await second.story()).toBe('Complete');
  expect(await release.status()).toMatchObject({ phase: 'Succeeded', job: { name: second.name } });
  expect((await second.events()).map(({ reason }) => reason)).toContain('WaitingForLock');
});

test('two releases in two namespaces go one after the other', async ({ scenario }) => {
  const slow = await scenario.pack('acme-slow');
  const quick = await scenario.pack('acme');
  await scenario.packSecret();
  const elsewhere = scenario.component('elsewhere');
  await elsewhere.create();
  await scenario.packSecret(undefined, undefined, elsewhere);

  const first = scenario.release();
  await first.install({ ...slow.values, ...WAITING });
  await first.statusWhen('a component is being installed', ({ components }) => components.length === 1);
  const pod = await (await first.job()).running();
  const second = scenario.release({ name: 'other', namespace: elsewhere });
  await second.install(quick.values);
  const waiting = await second.statusWhen('it waits', ({ phase }) => phase === 'WaitingForLock');
  expect(waiting.message).toContain(`pod ${scenario.namespace.name}/${pod.metadata.name} (release`);
  expect(waiting.message).toContain('waiting counts against job.activeDeadlineSeconds');

  await scenario.releaseSlowComponent();
  for (const release of [first, second]) {
    const job = await release.job();
    expect(await job.ended(), await job.story()).toBe('Complete');
  }
  const [before, after] = [await first.status(), await second.status()];
  expect(begunAt(after)).toBeGreaterThanOrEqual(Date.parse(before.finishedAt));
  expect(await leaseHolder(scenario)).toBe('');
});
