/** Runs of the bundled program over releases of the stand-in: an old stack is installed, then a newer one shall be. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { toolPath } from '../../hack/cluster/index.ts';
import type { RunSpec } from '../../src/contract/index.ts';
import { COLD_BUILD, openProgram, type Program, REAL } from '../standin/program.ts';
import { toolbox } from '../standin/toolbox.ts';
import type { StartedRun } from './process.ts';
import { makeWorld, useProgram, type World } from './run.ts';

useProgram();

let older: Program;
let newer: Program;
let PATH: string;
beforeAll(async () => {
  [older, newer] = await Promise.all([openProgram('v0.20.0'), openProgram('v1.2.0')]);
  PATH = await toolbox(newer.dir, 4);
}, COLD_BUILD);
afterAll(async () => {
  // The runs of other files on this API server would find a stack that is not theirs.
  const everyRelease = ['delete', 'secrets', '--all-namespaces', '--selector', 'owner=helm'];
  await execa(toolPath('kubectl'), ['--kubeconfig', inject('apiServer').kubeconfig, ...everyRelease]);
  await Promise.all([older, newer].map((program) => program.remove()));
});

const start = (
  world: World,
  aicr: Program,
  change: (spec: RunSpec) => void = () => {},
): Promise<StartedRun> =>
  world.start({
    release: aicr.release,
    env: { PATH },
    mount: (root) => {
      mkdirSync(join(root, 'tmp/.kube'));
      copyFileSync(inject('apiServer').kubeconfig, join(root, 'tmp/.kube/config'));
    },
    spec: (spec) => {
      const stock: RunSpec = {
        ...spec,
        criteria: { service: '', accelerator: 'h100', intent: '', os: '', platform: '' },
        bundle: { ...spec.bundle, preinstalledDriver: true },
        deploy: { ...spec.deploy, args: ['--no-wait', '--retries', '0'] },
      };
      change(stock);
      return stock;
    },
  });

/** Revisions of the Helm releases of three components, oldest first. */
const revisions = async (): Promise<string[]> => {
  const { stdout } = await execa(toolPath('kubectl'), [
    ...['--kubeconfig', inject('apiServer').kubeconfig, 'get', 'secrets', '-A', '-l', 'owner=helm'],
    ...['-o', 'jsonpath={range .items[*]}{.metadata.name}{"\\n"}{end}'],
  ]);
  return stdout
    .split('\n')
    .filter((name) => /\.(gpu-operator|nfd|nvsentinel)\./.test(name))
    .sort();
};

const stepOf = async (world: World, name: string) =>
  (await world.status()).steps.find((step) => step.name === name);

describe.skipIf(REAL)('an upgrade of the stack', () => {
  test('from before the records is stopped before anything is touched, and the override goes through', async () => {
    const world = await makeWorld();
    const first = await start(world, older);
    expect(await first.ended, first.output()).toMatchObject({ code: 0 });
    expect(await stepOf(world, 'upgradeCheck')).toMatchObject({
      state: 'Succeeded',
      message: 'skipped: aicr v0.20.0 has no upgrade-check',
    });
    const before = await revisions();
    expect(before).toHaveLength(3);

    const blocked = await start(world, newer);
    expect(await blocked.ended, blocked.output()).toMatchObject({ code: 43 });
    expect(await revisions()).toEqual(before);
    const status = await world.status();
    expect(status).toMatchObject({ phase: 'Failed', reason: 'UpgradeBlocked', components: [] });
    expect(status.message).toMatch(/gpu-operator \S+ -> v26\.7\.2 is blocked \(undefined-origin\)/);
    expect(status.message).toContain('set upgradeCheck.failOn to []');
    expect(await stepOf(world, 'deploy')).toMatchObject({ state: 'Pending' });
    const verdicts = status.upgradeCheck.components.map(
      ({ component, verdict }) => `${component} ${verdict}`,
    );
    expect(status.upgradeCheck.outcome).toBe('Blocked');
    expect(verdicts.slice(0, 3).sort()).toEqual(
      ['gpu-operator', 'nvidia-dra-driver-gpu', 'nvsentinel'].map((name) => `${name} blocked`),
    );
    expect(verdicts).toContain('nfd manual');
    const { data } = (await world.configMap('aicr-upgrade-check')) ?? {};
    expect(data?.['summary.txt']).toContain('Stops the run (3)');
    expect(JSON.parse(data?.['upgrade-check.json'] ?? '').summary).toMatchObject({ failing: 6 });

    const forced = await start(world, newer, (spec) => {
      spec.upgradeCheck = { ...spec.upgradeCheck, failOn: [] };
    });
    expect(await forced.ended, forced.output()).toMatchObject({ code: 0 });
    expect(await revisions()).toHaveLength(6);
    expect((await world.status()).upgradeCheck.outcome).toBe('NeedsAttention');

    const again = await start(world, newer);
    expect(await again.ended, again.output()).toMatchObject({ code: 0 });
    expect((await world.status()).upgradeCheck.outcome).toBe('SameBundle');

    // The way back, as a rollback takes it, is refused before there is anything to lose.
    const [recipe, settled] = [(await world.configMap('aicr-recipe'))?.data, await revisions()];
    const back = await start(world, older);
    expect(await back.ended, back.output()).toMatchObject({ code: 54 });
    const refused = await world.status();
    expect(refused).toMatchObject({ phase: 'Failed', reason: 'DowngradeRefused', components: [] });
    expect(refused.message).toContain('aicr v0.20.0 is older than v1.2.0');
    expect(new Set(refused.steps.map(({ state }) => state))).toEqual(new Set(['Pending']));
    expect((await world.configMap('aicr-recipe'))?.data).toEqual(recipe);
    expect(await revisions()).toEqual(settled);
  });
});
