import { fileURLToPath } from 'node:url';
import { describe, expect, inject } from 'vitest';
import type { Checks } from '../standin/index.ts';
import { expectFailure } from './failure.ts';
import { EVIDENCE, keysOf } from './proof.ts';
import type { ChartRelease } from './release.ts';
import { type Scenario, test } from './scenario.ts';
import { INSTALL_STEPS, stepStates } from './status.ts';

type Overrides = Readonly<Record<string, string | boolean>>;

/** Arguments that give Helm an example, and what of it cannot be the same here. */
function example(name: string, overrides: Overrides): readonly string[] {
  const file = fileURLToPath(new URL(`../../examples/${name}.yaml`, import.meta.url));
  const set = Object.entries(overrides).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
  return ['--values', file, ...set];
}

/** What says that the data pack is the scenario's. */
async function packOf(scenario: Scenario, checks?: Checks): Promise<Overrides> {
  const { pack } = await scenario.pack('acme', checks);
  await scenario.packSecret();
  return { dataPack: pack.ref, dataPackPlainHTTP: true, service: pack.criteria.service };
}

async function expectComplete(release: ChartRelease): Promise<readonly string[]> {
  const job = await release.job();
  expect(await job.ended(), await job.story()).toBe('Complete');
  const status = await release.status();
  expect(status, status.message).toMatchObject({ phase: 'Succeeded', validation: { outcome: 'Passed' } });
  return stepStates(status).map((state) => state.replace(' Succeeded', ''));
}

const ASSERTING = ['download', 'pack', 'recipe', 'validate'];
const INSTALLING = [...INSTALL_STEPS, 'validate'];
const MEASURED: Checks = {
  'operator-health': { ends: 'passed' },
  'burn-in': { phase: 'performance', ends: 'passed' },
};

// How a check ends is the data pack's to say with the stand-in only: a real aicr starts its image.
describe.skipIf(!inject('prepared').aicr.standIn)('the example', () => {
  test('day1-install proves what it installs, and drift-check beside it sees what is lost', async ({
    scenario,
  }) => {
    const { cluster, word } = scenario;
    // The demo pack has no validators of its own: aicr's look at the Helm releases. Its recipe is for any system.
    const pack = await packOf(scenario);
    const here = { ...pack, accelerator: 'h200', os: '', dataPackSecret: 'aicr-pack-pull' };
    const install = scenario.release();
    await install.install({}, ...example('day1-install', here));
    expect(await expectComplete(install)).toEqual(INSTALLING);

    const check = scenario.release({ name: 'drift' });
    await check.install({}, ...example('drift-check', here));
    expect(await expectComplete(check)).toEqual(ASSERTING);
    expect(await check.results()).toEqual(['aicr-drift-recipe', 'aicr-drift-result', 'drift-status']);
    expect(await install.results()).toEqual([
      'aicr-recipe',
      'aicr-status',
      'aicr-upgrade-check',
      'aicr-validate-result',
    ]);

    await cluster.run(['helm4', 'uninstall', `${word}-probe`, '--namespace', `${word}-probe`]);
    await check.upgrade({}, ...example('drift-check', { ...here, runId: 'next' }));
    const status = await expectFailure(check, 'ValidationFailed');
    expect(status.validation).toMatchObject({ outcome: 'Failed', exitCode: 8 });
    const result = (await scenario.namespace.configMap('aicr-drift-result'))?.data ?? {};
    expect(result['summary.txt']).toContain(`${word}-probe`);
  });

  test('qualify-hardware measures and installs nothing', async ({ scenario }) => {
    const pack = await packOf(scenario, MEASURED);
    const release = scenario.release();
    const here = { 'validateArgs[1]': scenario.namespace.name };
    await release.install({}, ...example('qualify-hardware', { ...pack, ...here }));
    expect(await expectComplete(release)).toEqual(ASSERTING);
    expect((await release.status()).validation).toMatchObject({ tests: 1, passed: 1 });
    expect(await release.summary()).toContain('Validation: Passed: 1 check');
  });

  test('full-acceptance installs, checks, measures and publishes, all with one Secret', async ({
    scenario,
  }) => {
    const pack = await packOf(scenario, MEASURED);
    const release = scenario.release();
    const ref = `${scenario.cluster.registry.host}/${scenario.word}/acceptance`;
    const here = { 'validateArgs[1]': scenario.namespace.name, 'validate.publish.ref': ref };
    const registry = { 'validate.publish.plainHTTP': true };
    await release.install({}, ...example('full-acceptance', { ...pack, ...here, ...registry }));
    expect(await expectComplete(release)).toEqual([...INSTALLING, 'evidence', 'publish']);
    const { validation, evidence } = await release.status();
    expect(validation.tests).toBeGreaterThan(1);
    expect(evidence.oci.startsWith(`${ref}:`)).toBe(true);
    expect(await keysOf(scenario, EVIDENCE)).toEqual(['evidence.tgz', 'pointer.yaml']);
  });
});
