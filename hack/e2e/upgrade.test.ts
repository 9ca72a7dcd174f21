import { expect } from 'vitest';
import { test } from './scenario.ts';
import { installSlowly } from './slow.ts';

test('ten unchanged upgrades during a run leave its pod alone', async ({ scenario }) => {
  const { release, values, job } = await installSlowly(scenario);
  const pod = await job.running();

  for (let revision = 2; revision <= 11; revision += 1) await release.upgrade(values);
  expect((await release.jobs()).map(({ name }) => name)).toEqual([job.name]);
  const after = await job.running();
  expect(after.metadata.uid).toBe(pod.metadata.uid);
  expect(await release.pods()).toHaveLength(1);

  await scenario.releaseSlowComponent();
  expect(await job.ended(), await job.story()).toBe('Complete');
  expect(await release.status()).toMatchObject({
    phase: 'Succeeded',
    job: { name: job.name },
    pod: { name: pod.metadata.name, uid: pod.metadata.uid },
    run: { attempt: 1 },
  });
});

test('job.rerunOnUpgrade runs every revision, a changed value or not', async ({ scenario }) => {
  const { values } = await scenario.pack('acme');
  await scenario.packSecret();
  const release = scenario.release();
  const always = { ...values, job: { rerunOnUpgrade: true } };
  const names: string[] = [];
  await release.install(always);
  for (let revision = 1; revision <= 2; revision += 1) {
    if (revision > 1) await release.upgrade(always);
    const job = await release.job();
    expect(await job.ended(), await job.story()).toBe('Complete');
    expect(await release.statusOf(job)).toMatchObject({ phase: 'Succeeded' });
    names.push(job.name);
  }
  expect(new Set(names).size).toBe(2);
});

test('an upgrade with a changed value ends the run before it, which says so', async ({ scenario }) => {
  const { release, values, job: first } = await installSlowly(scenario);

  // With --no-wait the component has nothing to wait for.
  await release.upgrade({ ...values, deployFlags: '--no-wait' });
  const interrupted = await release.statusWhen('it has ended', ({ finishedAt }) => finishedAt !== '', first);
  expect(interrupted).toMatchObject({ phase: 'Interrupted', reason: 'Interrupted' });
  expect(interrupted.components[0]).toMatchObject({ state: 'Interrupted' });
  const second = await release.job();
  expect(second.name).not.toBe(first.name);
  await second.ended();
  expect(await release.statusOf(second)).toMatchObject({ job: { name: second.name } });
  // The shared document is the newest run's, whoever wrote last.
  expect((await release.status()).job.name).toBe(second.name);
});

test('what a failed revision left behind goes with the next run, and nothing outlives the release', async ({
  scenario,
}) => {
  const { values } = await scenario.pack('acme');
  await scenario.packSecret();
  const release = scenario.release();
  const waiting = ['--wait', '--wait-for-jobs', '--timeout', '8m'];
  await release.install(values, ...waiting);

  // Helm compares the upgrade after this one with the first revision, and forgets what this one made.
  const failing = { ...values, accelerator: 'no-such-gpu' };
  await expect(release.upgrade(failing, ...waiting)).rejects.toThrow();
  const failed = await release.job();
  expect(await failed.ended()).toBe('Failed');

  await release.upgrade({ ...values, runId: '2' }, ...waiting);
  const good = await release.job();
  expect(good.name).not.toBe(failed.name);
  await failed.podsGone();

  // Back to what failed: it runs, and does not just find that it failed before.
  await expect(release.upgrade(failing, ...waiting)).rejects.toThrow();
  expect((await failed.termination()).message).toContain('CriteriaRefused');

  await release.uninstall();
  await release.podsGone();
  expect(await release.jobs()).toEqual([]);
});
