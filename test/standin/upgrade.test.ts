import { access } from 'node:fs/promises';
import path from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COLD_BUILD, failureText, openProgram, type Program } from './program.ts';

// Several releases of the stand-in side by side; a release folder has one version only.
let older: Program;
let newer: Program;
let oldest: Program;
beforeAll(async () => {
  oldest = await openProgram('v0.20.0');
  older = await openProgram('v1.1.2');
  newer = await openProgram('v1.2.0');
  for (const program of [oldest, older, newer]) {
    await program.run(['recipe', '--accelerator', 'h100', '-o', 'recipe.yaml']);
  }
}, COLD_BUILD);
afterAll(() => Promise.all([oldest, older, newer].map((program) => program.remove())));

interface Change {
  component: string;
  from: string;
  to: string;
  verdict: string;
  reason: string;
  failsRun: boolean;
}
interface Report {
  components: Change[];
  summary: { components: number; failing: number };
}

const recipe = (program: Program): string => path.join(program.dir, 'recipe.yaml');
async function check(from: string, to: string): Promise<Report> {
  const args = [
    'upgrade-check',
    '--from',
    from,
    '--to',
    to,
    '--deployer',
    'helm',
    '-t',
    'json',
    '--fail-on-error=false',
  ];
  const outcome = await newer.run(args);
  expect(outcome.exitCode, outcome.stderr).toBe(0);
  return JSON.parse(outcome.stdout) as Report;
}

test('from one release to the next: what needs the operator, and what is safe', async () => {
  const report = await check(recipe(older), recipe(newer));
  expect(report.components).toMatchObject([
    { component: 'nfd', from: '0.19.0', to: '0.20.1', verdict: 'manual', reason: 'recorded', failsRun: true },
    { component: 'nvidia-dra-driver-gpu', from: '0.5.0', to: '0.5.1', verdict: 'safe', failsRun: false },
  ]);
  expect(report.summary).toEqual({ components: 2, failing: 1 });
});

test('needing attention is exit 2, with the whole report printed before', async () => {
  const args = ['upgrade-check', '--from', recipe(older), '--to', recipe(newer), '--deployer', 'helm'];
  const outcome = await newer.run(args);
  expect(outcome.exitCode).toBe(2);
  expect(outcome.stdout).toContain('2 component changes, 1 need attention');
  expect(failureText(outcome)).toContain(
    '[CONFLICT] upgrade check failed: 1 component change(s) need attention',
  );
});

test('backwards is a downgrade, the same is nothing', async () => {
  const back = await check(recipe(newer), recipe(older));
  expect(back.components.map((each) => each.reason)).toEqual(['downgrade', 'downgrade']);
  expect(await check(recipe(newer), recipe(newer))).toMatchObject({
    components: [],
    summary: { failing: 0 },
  });
});

test('a jump from before the first record is blocked', async () => {
  // v1.0.0 and later do not read the recipes of v0.20.0, so the old pins come in through the header of the new.
  const old = await oldest.run(['recipe', '--accelerator', 'h100', '--format', 'json']);
  const file = path.join(newer.dir, 'old.yaml');
  await execa('tee', [file], { input: old.stdout.replace('aicr.run/v1alpha2', 'aicr.run/v1') });
  const report = await check(file, recipe(newer));
  const verdicts = Object.fromEntries(report.components.map((each) => [each.component, each.verdict]));
  expect(verdicts).toEqual({
    'gpu-operator': 'blocked',
    'kai-scheduler': 'unknown',
    nfd: 'manual',
    'nodewright-operator': 'manual',
    nvsentinel: 'blocked',
    'nvidia-dra-driver-gpu': 'blocked',
  });
});

test('a recipe of before v1.0.0 is refused', async () => {
  const outcome = await newer.run(['upgrade-check', '--from', recipe(oldest), '--to', recipe(newer)]);
  expect(outcome.exitCode).toBe(2);
  expect(failureText(outcome)).toContain('unsupported recipe apiVersion "aicr.run/v1alpha2"');
});

test('a release before the command has neither it nor its help', async () => {
  expect((await oldest.run(['upgrade-check', '--help'])).exitCode).not.toBe(0);
  expect((await newer.run(['upgrade-check', '--help'])).exitCode).toBe(0);
});

test('a bundle says in UPGRADING.md what its arrival asks for, and only then', async () => {
  const bundled = async (program: Program): Promise<boolean> => {
    await program.run(['bundle', '-r', 'recipe.yaml', '-o', 'bundle']);
    return access(path.join(program.dir, 'bundle', 'UPGRADING.md')).then(
      () => true,
      () => false,
    );
  };
  expect(await bundled(newer)).toBe(true);
  expect(await bundled(oldest)).toBe(false);
});
