import { expect } from 'vitest';
import { COMPONENTS_CONFIG_MAP } from '../../src/contract/index.ts';
import { expectFailure } from './failure.ts';
import { installForeign } from './foreign.ts';
import { listReleases } from './release.ts';
import { test } from './scenario.ts';

test('a component that somebody else installed stops the run; left out as the message says, the rest is installed', async ({
  scenario,
}) => {
  const { values } = await scenario.pack('acme');
  await scenario.packSecret();
  const name = await installForeign(scenario, 'probe');
  const theirs = await listReleases(scenario.cluster, name);
  const release = scenario.release();
  await release.install(values);
  const status = await expectFailure(release, 'ForeignRelease');
  expect(status.message).toContain(`${name} in namespace ${name} (deployed, since `);
  expect(status.components).toEqual([]);
  expect(await listReleases(scenario.cluster, `${scenario.word}-agent`)).toEqual([]);
  expect(await scenario.namespace.configMap(COMPONENTS_CONFIG_MAP)).toBeUndefined();

  const [bundleArgs = ''] = /\[.*?\]/.exec(status.hint) ?? [];
  await release.upgrade({ ...values, bundleArgs: JSON.parse(bundleArgs) as unknown });
  const job = await release.job();
  expect(await job.ended(), await job.story()).toBe('Complete');
  expect(await listReleases(scenario.cluster, name)).toEqual(theirs);
  const list = await scenario.namespace.configMap(COMPONENTS_CONFIG_MAP);
  expect(Object.keys(list?.data ?? {}).sort()).toEqual([
    `${scenario.word}-agent.${scenario.word}-agent`,
    `newest_${scenario.namespace.name}.${release.name}`,
  ]);
});
