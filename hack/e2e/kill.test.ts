import { expect } from 'vitest';
import { killHard } from './kill.ts';
import { eventually } from './patience.ts';
import { listReleases } from './release.ts';
import { test } from './scenario.ts';

test('a pod that is killed inside helm leaves a pending release, which the next run heals and upgrades', async ({
  scenario,
}) => {
  const { values } = await scenario.pack('acme-slow');
  await scenario.packSecret();
  const release = scenario.release();
  await release.install({ ...values, deployFlags: '', deployArgs: ['--retries', '0'] });
  const job = await release.job();
  const slow = `${scenario.word}-slow`;
  const state = async () => (await listReleases(scenario.cluster, slow))[0];
  await release.statusWhen('a component is being installed', ({ components }) => components.length === 1);
  await eventually('helm waits', async () => (await state())?.status === 'pending-install' || undefined);
  await killHard(await job.running());
  expect(await job.ended(), await job.story()).toBe('Failed');
  expect(await release.status()).toMatchObject({ phase: 'Running', components: [{ state: 'Installing' }] });
  expect(await state()).toMatchObject({ status: 'pending-install' });

  // With --no-wait the component has nothing to wait for.
  await release.upgrade({ ...values, deployFlags: '--no-wait --retries 0' });
  const next = await release.job();
  expect(await next.ended(), await next.story()).toBe('Complete');
  const status = await release.statusOf(next);
  expect(status).toMatchObject({ phase: 'Succeeded' });
  expect(status.warnings).toContainEqual(
    `Helm release ${slow} in namespace ${slow} was left in pending-install (run ${job.name} was stopped in the middle of it); it was set to failed, and deploy.sh goes on from there`,
  );
  expect(await state()).toMatchObject({ status: 'deployed', revision: '2' });
});
