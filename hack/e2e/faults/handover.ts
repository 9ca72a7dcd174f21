import { expect } from 'vitest';
import type { RunStatus } from '../../../src/contract/index.ts';
import { eventually } from '../patience.ts';
import { listReleases } from '../release.ts';
import { WAITING } from '../scenario.ts';
import { type Act, AT_ONCE } from './stage.ts';

/** When a run began to work on the cluster. */
const begunAt = ({ steps }: RunStatus): number => Date.parse(steps[0]?.startedAt ?? '');

const evicted: Act = async (stage) => {
  const { scenario, release } = stage;
  const { namespace } = scenario;
  const { values, job } = await stage.installSlowly();
  const { metadata } = await job.running();
  const path = `/api/v1/namespaces/${namespace.name}/pods/${metadata.name}/eviction`;
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: metadata.name } };
  await namespace.kubectl(['create', '--raw', path, '--filename', '-'], JSON.stringify(eviction));
  await release.statusWhen('the second attempt is at work', ({ run }) => run.attempt === 2, job);
  await scenario.releaseSlowComponent();
  await stage.expectComplete(job);
  const status = await release.statusOf(job);
  expect(status).toMatchObject({ phase: 'Succeeded', run: { attempt: 2 } });
  expect(status.pod.uid).not.toBe(metadata.uid);
  const events = (await job.events()).map(({ message }) => message).join('\n');
  return {
    release,
    next: { ...values, ...AT_ONCE },
    replaced: true,
    cause: /interrupted at step deploy/,
    shown: () => events,
  };
};

const upgradedOver: Act = async (stage) => {
  const { scenario, release } = stage;
  const { values, job: first } = await stage.installSlowly();
  await release.upgrade({ ...values, ...WAITING, runId: 'changed' });
  const stopped = await release.statusWhen('it has ended', ({ finishedAt }) => finishedAt !== '', first);
  expect(stopped).toMatchObject({ phase: 'Interrupted', reason: 'Interrupted' });
  const second = await release.job();
  await scenario.releaseSlowComponent();
  await stage.expectComplete(second);
  const status = await release.status();
  expect(status).toMatchObject({ phase: 'Succeeded', job: { name: second.name } });
  expect(begunAt(status)).toBeGreaterThanOrEqual(Date.parse(stopped.finishedAt));
  const shown = stage.shownBy(first);
  const next = { ...values, ...AT_ONCE };
  return { release, next, replaced: true, cause: /interrupted at step deploy/, shown };
};

const twoReleases: Act = async (stage) => {
  const { scenario, release } = stage;
  const quick = await scenario.pack('acme');
  const elsewhere = scenario.component('elsewhere');
  await elsewhere.create();
  await scenario.packSecret(undefined, undefined, elsewhere);
  const { job } = await stage.installSlowly();
  const pod = await job.running();
  const other = scenario.release({ name: 'other', namespace: elsewhere });
  await other.install(quick.values);
  const waiting = await other.statusWhen('it waits', ({ phase }) => phase === 'WaitingForLock');

  await scenario.releaseSlowComponent();
  await stage.expectComplete(job);
  await stage.expectComplete(await other.job());
  const [before, after] = [await release.status(), await other.status()];
  expect(begunAt(after)).toBeGreaterThanOrEqual(Date.parse(before.finishedAt));
  const cause = new RegExp(`pod ${scenario.namespace.name}/${pod.metadata.name} \\(release`);
  return { release: other, next: quick.values, cause, shown: () => waiting.message };
};

const tenUpgrades: Act = async (stage) => {
  const { scenario, release } = stage;
  const { values, job } = await stage.installSlowly();
  const pod = await job.running();
  for (let count = 1; count <= 10; count += 1) await release.upgrade({ ...values, ...WAITING });
  expect((await release.jobs()).map(({ name }) => name)).toEqual([job.name]);
  expect((await release.pods()).map(({ metadata }) => metadata.uid)).toEqual([pod.metadata.uid]);
  await scenario.releaseSlowComponent();
  await stage.expectComplete(job);
  expect(await release.statusOf(job)).toMatchObject({ phase: 'Succeeded', run: { attempt: 1 } });
  const shown = stage.shownBy(job);
  return { release, next: { ...values, ...AT_ONCE }, cause: /all 2 components are installed/, shown };
};

const jobDeleted: Act = async (stage) => {
  const { scenario, release } = stage;
  const { values, job } = await stage.installSlowly();
  await scenario.namespace.kubectl(['delete', 'job', job.name, '--wait=false']);
  const status = await release.statusWhen('it has ended', ({ finishedAt }) => finishedAt !== '', job);
  expect(status).toMatchObject({ phase: 'Interrupted', reason: 'Interrupted' });
  await release.podsGone();
  const shown = stage.shownBy(job);
  return { release, next: { ...values, ...AT_ONCE }, cause: /interrupted at step deploy/, shown };
};

const uninstalled: Act = async (stage) => {
  const { scenario, release } = stage;
  const { values, job } = await stage.installSlowly();
  await release.uninstall();
  await release.podsGone();
  expect(await release.bindings()).toEqual([]);
  // The rights go first: whether helm could still write how it ended is the API server's business.
  const [slow] = await listReleases(scenario.cluster, `${scenario.word}-slow`);
  const next = { ...values, ...AT_ONCE };
  if (slow?.status === 'failed') {
    return { release, next, gone: true, cause: /at step deploy|Installing/, shown: () => release.summary() };
  }
  expect(slow?.status).toBe('pending-install');
  const cause = new RegExp(`left in pending-install \\(run ${job.name} was stopped in the middle of it\\)`);
  return { release, next, gone: true, cause, shown: ({ warnings }) => warnings.join('\n') };
};

const withoutPrune: Act = async (stage) => {
  const { scenario, release } = stage;
  const values = await stage.pack('acme-slow');
  const apply = async (changed: object): Promise<void> => {
    for (const object of await release.template({ ...values, ...WAITING, ...changed })) {
      await scenario.namespace.apply(object);
    }
  };
  await apply({});
  const first = await release.job();
  await stage.untilHelmWaits();
  await stage.remember();
  await apply({ runId: 'changed' });
  await stage.expectFailed(first);
  expect(await first.termination()).toMatchObject({ exitCode: 85 });
  const second = (await release.jobs()).find(({ name }) => name !== first.name) ?? first;
  await scenario.releaseSlowComponent();
  await stage.expectComplete(second);
  const shown = stage.shownBy(first);
  const cause = new RegExp(`^Superseded: .*${second.name}`);
  // The next run is Helm's, which takes over no object that it has not made.
  for (const run of [{}, { runId: 'changed' }]) {
    for (const { kind, metadata } of await release.template({ ...values, ...WAITING, ...run })) {
      await scenario.namespace.kubectl(['delete', kind, metadata.name, '--ignore-not-found']);
    }
  }
  return { release, next: { ...values, ...AT_ONCE }, gone: true, replaced: true, cause, shown };
};

const leaseStolen: Act = async (stage) => {
  const { scenario, release } = stage;
  const { values, job } = await stage.installSlowly();
  const thief = {
    metadata: { annotations: { 'nvidia-aicr/release': 'other/gpu', 'nvidia-aicr/job': 'gpu-install-1' } },
    spec: { holderIdentity: 'other/gpu-install-1-x/uid' },
  };
  const patch = ['patch', 'lease', 'nvidia-aicr', '--type', 'merge', '--patch', JSON.stringify(thief)];
  await scenario.namespace.kubectl(patch);
  await stage.expectFailed(job);
  const { exitCode, message } = await job.termination();
  expect(exitCode).toBe(84);
  await eventually('helm has marked its release', async () => {
    const [slow] = await listReleases(scenario.cluster, `${scenario.word}-slow`);
    return slow?.status === 'failed' || undefined;
  });
  const cause = /^LockLost: .*by pod other\/gpu-install-1-x \(release other\/gpu, Job gpu-install-1\)/;
  return { release, next: { ...values, ...AT_ONCE }, cause, shown: () => message };
};

/** A run that has to give way, or that goes on as another pod. */
export const HANDOVER_ACTS = {
  'pod evicted': evicted,
  'upgrade with a change': upgradedOver,
  'two releases at once': twoReleases,
  'ten unchanged upgrades': tenUpgrades,
  'Job deleted': jobDeleted,
  'uninstall in helm': uninstalled,
  'change without prune': withoutPrune,
  'Lease stolen': leaseStolen,
} as const satisfies Record<string, Act>;
