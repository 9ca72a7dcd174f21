import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject } from 'vitest';
import { buildRelease } from '../standin/index.ts';
import { expectFailure } from './failure.ts';
import { listReleases } from './release.ts';
import { type Scenario, test } from './scenario.ts';

/** Of aicr's own catalogue, in namespaces of their names. */
const INSTALLED = ['gpu-operator', 'nfd', 'nvsentinel'];

/** The rest of the stack for a GPU would only take time. */
const LEFT_OUT = [
  ...['cert-manager', 'nodewright-operator', 'prometheus-operator-crds', 'kube-prometheus-stack'],
  ...['prometheus-adapter', 'k8s-ephemeral-storage-metrics', 'kai-scheduler', 'nvidia-dra-driver-gpu'],
];

const STACK = {
  accelerator: 'h100',
  bundleArgs: LEFT_OUT.flatMap((name) => ['--set', `${name}:enabled=false`]),
  deployFlags: '--no-wait --retries 0',
};

/** Puts the stand-in's release of before the upgrade records on the mirror. */
async function publishOlder({ cluster }: Scenario): Promise<string> {
  const version = 'v0.20.0';
  const { dir } = await buildRelease({ version, dir: join(cluster.folder, 'older-release') });
  await cp(dir, join(cluster.mirrorRoot, version), { recursive: true });
  return version;
}

const revisions = async ({ cluster }: Scenario): Promise<string[]> => {
  const lists = await Promise.all(INSTALLED.map((name) => listReleases(cluster, namespaceOf(name))));
  return lists.flat().map(({ name, revision, status }) => `${name} ${revision} ${status}`);
};

const namespaceOf = (component: string): string =>
  component === 'nfd' ? 'node-feature-discovery' : component;

// Only the stand-in carries the charts of its catalogue.
describe.skipIf(!inject('prepared').aicr.standIn)('an upgrade of a converged cluster', () => {
  test('that aicr calls blocked stops before anything is touched; failOn lets it through', async ({
    scenario,
  }) => {
    const release = scenario.release();
    try {
      await release.install({ ...STACK, aicrVersion: await publishOlder(scenario) });
      const first = await release.job();
      expect(await first.ended(), await first.story()).toBe('Complete');
      const converged = await revisions(scenario);
      expect(converged).toEqual(INSTALLED.map((name) => `${name} 1 deployed`));

      await release.upgrade(STACK);
      const status = await expectFailure(release, 'UpgradeBlocked');
      expect(status.message).toMatch(
        /gpu-operator \S+ -> v26\.7\.2 is blocked \(undefined-origin\): no record/,
      );
      expect(status.message).toContain('upgradeCheck.failOn');
      expect(status.components).toEqual([]);
      expect(await revisions(scenario)).toEqual(converged);
      const found = (await scenario.namespace.configMap('aicr-upgrade-check'))?.data ?? {};
      expect(found['summary.txt']).toContain('Stops the run');
      expect(JSON.parse(found['upgrade-check.json'] ?? '').components).toContainEqual(
        expect.objectContaining({ component: 'nvsentinel', verdict: 'blocked' }),
      );

      await release.upgrade({ ...STACK, upgradeCheck: { failOn: [] } });
      const forced = await release.job();
      expect(await forced.ended(), await forced.story()).toBe('Complete');
      expect((await release.statusOf(forced)).upgradeCheck.outcome).toBe('NeedsAttention');
      expect(await revisions(scenario)).toEqual(INSTALLED.map((name) => `${name} 2 deployed`));
    } finally {
      const spaces = INSTALLED.map((name) => `namespace/${namespaceOf(name)}`);
      await scenario.cluster.run(['kubectl', 'delete', '--wait=false', '--ignore-not-found', ...spaces]);
    }
  });
});
