import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { parse } from 'yaml';
import { archiveName, hostArch } from '../standin/index.ts';
import type { InstallJob } from './job.ts';
import { listReleases } from './release.ts';
import { type Scenario, test } from './scenario.ts';
import { INSTALL_STEPS, stepStates } from './status.ts';

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

/** Revision of each of the demo pack's components, all of which must be deployed. */
async function deployedRevisions(scenario: Scenario): Promise<readonly string[]> {
  const components = ['agent', 'probe'].map((name) => `${scenario.word}-${name}`);
  const listed = await Promise.all(components.map((name) => listReleases(scenario.cluster, name)));
  expect(listed.flat()).toEqual(
    components.map((name) => expect.objectContaining({ name, status: 'deployed' })),
  );
  return listed.flat().map(({ revision }) => revision);
}

/** Waits for a Job's good end. */
async function expectComplete(job: InstallJob): Promise<void> {
  expect(await job.ended(), await job.story()).toBe('Complete');
}

describe.each([4, 3] as const)('helm %s', (helm) => {
  test('installs from a private pack, runs again when asked to, and leaves the stack behind', async ({
    scenario,
  }) => {
    const { pack, values } = await scenario.pack('acme');
    await scenario.packSecret();
    const release = scenario.release({ helm });
    const { namespace, word, aicr } = scenario;

    // Installed: the Job is green, and everything it wrote agrees.
    await release.install(values);
    const first = await release.job();
    await expectComplete(first);
    const overlay = `${word}-h200-training`;
    expect(await first.termination()).toEqual({
      exitCode: 0,
      message: `Succeeded: all 2 components are installed (aicr ${aicr.version}, recipe ${overlay})`,
    });
    const status = await release.status();
    const arch = hostArch();
    const archive = archiveName(aicr.version, arch);
    // A real aicr before 1.2 has no upgrade check, and so no result of one.
    const checked = status.upgradeCheck.outcome === 'NotAvailable' ? [] : ['aicr-upgrade-check'];
    expect(checked.length === 1 || !aicr.standIn).toBe(true);
    const results = ['aicr-recipe', ...checked];
    expect(status).toMatchObject({
      phase: 'Succeeded',
      reason: '',
      release: { name: release.name, namespace: namespace.name },
      run: { id: '', attempt: 1 },
      job: { name: first.name },
      aicr: { version: aicr.version, arch, sha256: sha256(readFileSync(join(aicr.dir, archive))) },
      criteria: pack.criteria,
      pack: { ref: pack.ref, digest: pack.digest },
      recipe: { componentCount: 2 },
      components: [
        {
          index: 1,
          of: 2,
          name: `${word}-agent`,
          namespace: `${word}-agent`,
          state: 'Installed',
          attempts: 1,
        },
        {
          index: 2,
          of: 2,
          name: `${word}-probe`,
          namespace: `${word}-probe`,
          state: 'Installed',
          attempts: 1,
        },
      ],
      results: results.map((configMap) => expect.objectContaining({ configMap })),
      rerun: '',
    });
    expect(status.recipe.overlays.at(-1)).toBe(overlay);
    expect(stepStates(status)).toEqual(INSTALL_STEPS.map((name) => `${name} Succeeded`));
    expect(await release.statusOf(first)).toEqual(status);
    expect(await release.summary()).toContain('Components: 2 of 2 installed');

    const recipe = await release.recipe();
    const text = recipe?.data?.['recipe.yaml'] ?? '';
    expect(parse(text)).toMatchObject({ kind: 'RecipeResult', criteria: pack.criteria });
    expect(status.recipe.digest).toBe(`sha256:${sha256(text)}`);
    expect(recipe?.data?.['summary.txt']).toContain(`${word}-agent  manifests  namespace ${word}-agent`);
    expect(recipe?.metadata.labels).toEqual({
      'nvidia-aicr/written-by': 'run',
      'nvidia-aicr/release': release.name,
    });

    expect(await deployedRevisions(scenario)).toEqual(['1', '1']);
    expect((await scenario.component('probe').configMap(`${word}-probe`))?.data).toEqual({ hello: 'world' });
    expect(await namespace.find('clusterrole', `${word}-agent`)).toBeDefined();
    expect((await first.events()).map(({ reason }) => reason)).toEqual(
      expect.arrayContaining(['Started', 'Succeeded']),
    );
    const { password, user } = scenario.cluster.registry.login;
    const log = await first.log();
    expect(log).not.toContain(password);
    expect(log).not.toContain(Buffer.from(`${user}:${password}`).toString('base64'));

    // Unchanged: nothing runs.
    const [pod] = await release.pods();
    await release.upgrade(values);
    expect((await release.job()).name).toBe(first.name);
    expect((await release.pods()).map(({ metadata }) => metadata.uid)).toEqual([pod?.metadata.uid]);
    expect(await deployedRevisions(scenario)).toEqual(['1', '1']);

    // Asked to: runs again, and a changed value does too.
    await release.upgrade({ ...values, runId: '1' });
    const second = await release.job();
    expect(second.name).not.toBe(first.name);
    await expectComplete(second);
    expect(await release.statusOf(second)).toMatchObject({
      phase: 'Succeeded',
      run: { id: '1', attempt: 1 },
    });
    await release.upgrade({ ...values, runId: '1', deployFlags: '--no-wait' });
    const third = await release.job();
    await expectComplete(third);
    expect(await release.status()).toMatchObject({ phase: 'Succeeded', job: { name: third.name } });
    expect(await deployedRevisions(scenario)).toEqual(['3', '3']);
    // Every run keeps its own document.
    for (const job of [first, second, third]) {
      expect(await release.statusOf(job)).toMatchObject({ job: { name: job.name }, phase: 'Succeeded' });
    }

    // Uninstalled: no rights and no pods are left, the stack and what the runs wrote are.
    expect(await release.bindings()).toHaveLength(1);
    await release.uninstall();
    expect(await release.bindings()).toEqual([]);
    expect(await release.jobs()).toEqual([]);
    await release.podsGone();
    expect(await deployedRevisions(scenario)).toEqual(['3', '3']);
    expect((await scenario.component('probe').configMap(`${word}-probe`))?.data).toEqual({ hello: 'world' });
    expect(await release.results()).toEqual([...results, `${release.name}-status`].sort());
  });
});
