import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { parse } from 'yaml';
import { FIELD_MANAGER } from '../../src/contract/index.ts';
import { expectFailure } from './failure.ts';
import { installForeign } from './foreign.ts';
import { InstallJob } from './job.ts';
import type { ConfigMap } from './namespace.ts';
import { listReleases } from './release.ts';
import { test } from './scenario.ts';

const PEER_CHART = fileURLToPath(new URL('peer', import.meta.url));

/** Who has a say over a key of a ConfigMap. */
const managersOf = (configMap: ConfigMap | undefined, key: string): readonly string[] =>
  (configMap?.metadata.managedFields ?? [])
    .filter(({ fieldsV1 }) => JSON.stringify(fieldsV1 ?? {}).includes(`"f:${key}"`))
    .map(({ manager }) => manager);

describe.each([3, 4] as const)("a release of the peer's chart, made by helm %s", (made) => {
  test('is upgraded in place: its Job and rights go, its ConfigMaps are written anew', async ({
    scenario,
  }) => {
    const { namespace, cluster } = scenario;
    const { pack, values } = await scenario.pack('acme');
    await scenario.packSecret();
    const release = scenario.release();
    const image = `runtimeImage=${cluster.images.runtime}`;
    const argv = ['install', release.name, PEER_CHART, '--namespace', namespace.name, '--set', image];
    await cluster.run([`helm${made}`, ...argv]);
    const before = new InstallJob(namespace, `${release.name}-install-1`);
    expect(await before.ended(), await before.story()).toBe('Complete');
    const recipe = await release.recipe();
    expect(recipe?.data?.['summary.txt']).toBe('older');
    expect(managersOf(recipe, 'summary.txt')).toEqual(['kubectl-client-side-apply']);
    const verdict = await namespace.configMap('aicr-validate-result');
    // What the peer's Job has installed, and has no list of.
    const component = await installForeign(scenario, 'agent');
    const bindings = await release.bindings();

    await release.upgrade({ ...values, deploy: { existingReleases: 'adopt' } });
    const job = await release.job();
    expect(job.name).not.toBe(before.name);
    expect(await job.ended(), await job.story()).toBe('Complete');
    const status = await release.status();
    expect(status).toMatchObject({ phase: 'Succeeded', job: { name: job.name } });
    expect(status.warnings).toContainEqual(expect.stringMatching(`^${component} in .* is taken over`));
    expect(await listReleases(cluster, component)).toMatchObject([{ status: 'deployed', revision: '2' }]);

    const after = await release.recipe();
    expect(after?.metadata.uid).toBe(recipe?.metadata.uid);
    expect(parse(after?.data?.['recipe.yaml'] ?? '')).toMatchObject({ criteria: pack.criteria });
    expect(managersOf(after, 'recipe.yaml')).toContain(FIELD_MANAGER);
    expect(after?.metadata.labels).toMatchObject({ 'nvidia-aicr/written-by': 'run' });
    // Nothing of this run's: left as it was.
    expect(await namespace.configMap('aicr-validate-result')).toEqual(verdict);

    const left = await release.bindings();
    expect(left).toHaveLength(1);
    expect(bindings).not.toContain(left[0]);
    await before.podsGone();
    await release.uninstall();
    expect(await release.bindings()).toEqual([]);
    expect(await release.recipe()).toBeDefined();
  });
});

test("what the peer's chart installed is not taken over unless that is said", async ({ scenario }) => {
  const { cluster, namespace } = scenario;
  const { values } = await scenario.pack('acme');
  await scenario.packSecret();
  const release = scenario.release();
  const image = `runtimeImage=${cluster.images.runtime}`;
  await cluster.run(['helm4', 'install', release.name, PEER_CHART, '-n', namespace.name, '--set', image]);
  const before = new InstallJob(namespace, `${release.name}-install-1`);
  expect(await before.ended(), await before.story()).toBe('Complete');
  const component = await installForeign(scenario, 'agent');
  const installed = await listReleases(cluster, component);

  await release.upgrade(values);
  const status = await expectFailure(release, 'ForeignRelease');
  expect(status.message).toContain(component);
  expect(status.hint).toContain('deploy.existingReleases: adopt');
  expect(await listReleases(cluster, component)).toEqual(installed);

  await release.upgrade({ ...values, deploy: { existingReleases: 'adopt' } });
  const adopting = await release.job();
  expect(await adopting.ended(), await adopting.story()).toBe('Complete');
  // From then on it is the installer's own.
  await release.upgrade({ ...values, runId: '2' });
  const after = await release.job();
  expect(await after.ended(), await after.story()).toBe('Complete');
});
