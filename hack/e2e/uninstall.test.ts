import { expect } from 'vitest';
import { eventually } from './patience.ts';
import { listReleases } from './release.ts';
import { test } from './scenario.ts';

test('an uninstall during a run stops it, and leaves no pod, no rights and no chart of its own', async ({
  scenario,
}) => {
  const { values } = await scenario.pack('acme-slow');
  await scenario.packSecret();
  const release = scenario.release();
  await release.install({ ...values, deployFlags: '', deployArgs: ['--retries', '0'] });
  const slow = `${scenario.word}-slow`;
  const claim = () => scenario.component('slow').find('persistentvolumeclaim', slow);
  await eventually(`claim of ${slow}`, claim);
  expect(await release.bindings()).toHaveLength(1);

  await release.uninstall();
  expect(await release.bindings()).toEqual([]);
  await release.podsGone();
  expect(await release.jobs()).toEqual([]);
  expect(
    await scenario.namespace.list('serviceaccounts', `app.kubernetes.io/instance=${release.name}`),
  ).toEqual([]);
  // What the run had recorded stays, and so does what it had begun to install.
  expect(await release.results()).toEqual(['aicr-recipe', `${release.name}-status`, 'aicr-upgrade-check']);
  expect(await listReleases(scenario.cluster, slow)).toMatchObject([{ name: slow }]);
  expect(await claim()).toBeDefined();
});
