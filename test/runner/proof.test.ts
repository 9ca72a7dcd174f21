/** Runs of the bundled program that validate, over the stand-in (or a real aicr) and a real API server. */
import { describe, expect, test } from 'vitest';
import { REAL } from '../standin/program.ts';
import { ALL_WELL, type Checks, evidenceOf, Prover, unpackEvidence } from './proving.ts';
import { makeWorld, useProgram, type World } from './run.ts';

useProgram();
const prover = new Prover();

const BAD: Checks = { ...ALL_WELL, 'expected-resources': 'failed', 'check-nvidia-smi': 'other' };
const INSTALL = ['download', 'pack', 'recipe', 'bundle', 'verify', 'releases', 'upgradeCheck', 'deploy'];
const ASSERT = ['download', 'pack', 'recipe'];

const steps = async (world: World): Promise<string[]> =>
  (await world.status()).steps.map(({ name, state }) => `${name} ${state}`);
const succeeded = (...names: string[]): string[] => names.map((name) => `${name} Succeeded`);

// The real aicr starts a pod for each check, and here is nobody to run one.
describe.skipIf(REAL)('a run that validates', () => {
  test('what it has installed, and all is well: verdict and evidence are kept, and said everywhere', async () => {
    const world = await makeWorld();
    const run = await prover.start(world, { deploys: true, validate: { emitEvidence: true } });
    expect(await run.ended, run.output()).toEqual({ code: 0, signal: null });

    expect(await steps(world)).toEqual(succeeded(...INSTALL, 'validate', 'evidence'));
    const status = await world.status();
    expect(status).toMatchObject({
      phase: 'Succeeded',
      message: 'all 2 components are installed; validation: Passed: 4 checks: 4 passed',
      validation: { outcome: 'Passed', exitCode: 0, tests: 4, passed: 4, failed: 0, skipped: 0, other: 0 },
      evidence: { sha256: expect.stringMatching(/^sha256:[0-9a-f]{64}$/), oci: '', digest: '' },
    });
    expect(status.results.map(({ configMap }) => configMap)).toEqual([
      'aicr-recipe',
      'aicr-upgrade-check',
      'aicr-validate-result',
      'aicr-evidence-bundle',
    ]);
    const verdict = await world.configMap('aicr-validate-result');
    expect(JSON.parse(verdict?.data['ctrf.json'] ?? '{}').results.summary).toMatchObject({ passed: 4 });
    expect(verdict?.data['summary.txt']).toContain('Validation of release aicr in namespace');
    expect(verdict?.object.metadata.labels).toEqual({
      'nvidia-aicr/written-by': 'run',
      'nvidia-aicr/release': 'aicr',
    });
    const evidence = await unpackEvidence(world);
    const verified = await prover.aicr.run(['evidence', 'verify', evidence]);
    expect(verified.exitCode, verified.stderr).toBe(0);

    const { data } = (await world.configMap('aicr-status')) ?? {};
    expect(data?.['summary.txt']).toContain('Validation: Passed: 4 checks: 4 passed');
    expect(data?.['summary.txt']).toMatch(/Evidence: {3}\S+, not published/);
    expect(run.termination()).toContain('validation: Passed: 4 checks: 4 passed');
  });

  test('and fails lets the run succeed with failures that it names', async () => {
    const world = await makeWorld();
    const run = await prover.start(world, { checks: BAD, validate: { emitEvidence: true } });
    expect(await run.ended, run.output()).toMatchObject({ code: 0 });

    expect(await steps(world)).toEqual(succeeded(...ASSERT, 'validate', 'evidence'));
    const status = await world.status();
    expect(status).toMatchObject({
      phase: 'SucceededWithFailures',
      validation: { outcome: 'Failed', exitCode: 8, tests: 4, passed: 2, failed: 1, other: 1 },
    });
    expect(status.message).toMatch(
      /^validation: Failed: 4 checks: 1 failed \(expected-resources\), 1 inconclusive \(check-nvidia-smi\), 2 passed/,
    );
    expect(run.termination()).toMatch(/^SucceededWithFailures: validation: Failed: 4 checks: 1 failed/);
    const summary = (await world.configMap('aicr-validate-result'))?.data['summary.txt'];
    expect(summary).toContain('Failed (1)\n  expected-resources (deployment)');
    expect(status.evidence.sha256).not.toBe('');
  });

  test.each([
    ['', 8],
    ['--fail-on-error=false', 0],
  ])(
    'and fails fails the run with failOnError, once everything is kept (flags %j)',
    async (flags, exitCode) => {
      const world = await makeWorld();
      const validate = { emitEvidence: true, failOnError: true, flags };
      const run = await prover.start(world, { checks: BAD, deploys: exitCode === 8, validate });
      expect(await run.ended, run.output()).toMatchObject({ code: 70 });

      const status = await world.status();
      expect(status).toMatchObject({
        phase: 'Failed',
        reason: 'ValidationFailed',
        validation: { outcome: 'Failed', exitCode },
        rerun: expect.stringContaining('runId=1'),
      });
      expect((await steps(world)).slice(-2)).toEqual(['validate Failed', 'evidence Succeeded']);
      expect(Object.keys((await world.configMap('aicr-validate-result'))?.data ?? {}).sort()).toEqual([
        'ctrf.json',
        'summary.txt',
      ]);
      expect(await evidenceOf(world)).not.toHaveLength(0);
      expect(run.termination()).toMatch(/^ValidationFailed: validation: Failed: 4 checks: 1 failed/);
    },
  );

  test('renders no bundle and touches no release where nothing is to be deployed', async () => {
    const world = await makeWorld();
    const run = await prover.start(world);
    expect(await run.ended, run.output()).toMatchObject({ code: 0 });
    expect(await steps(world)).toEqual(succeeded(...ASSERT, 'validate'));
    expect(await world.status()).toMatchObject({
      message: 'validation: Passed: 4 checks: 4 passed',
      bundle: { digest: '' },
      components: [],
    });
    expect(await world.configMap('aicr-recipe')).not.toBeNull();
    expect(await world.configMap('aicr-evidence-bundle')).toBeNull();
    expect((await world.events(run.job)).map(({ note }) => note)).toContainEqual(
      expect.stringContaining('validates the cluster against aicr'),
    );
  });
});

describe('an aicr that is a script', () => {
  const validateOnly = {
    spec: (spec: Parameters<NonNullable<Parameters<World['start']>[0]>['spec'] & object>[0]) => ({
      ...spec,
      deploy: { ...spec.deploy, enabled: false },
      validate: { ...spec.validate, enabled: true, emitEvidence: true },
    }),
  };

  test('is stopped while it validates: the verdict says so, and the run ends as interrupted', async () => {
    const world = await makeWorld();
    const aicr = `if [ "$1" = validate ]; then
  trap 'echo got-term; exit 9' TERM
  echo checking
  sleep 600 & wait
fi`;
    const run = await world.start({ aicr, ...validateOnly });
    await run.until(/checking/);
    run.child.kill('SIGTERM');
    expect(await run.ended, run.output()).toEqual({ code: 81, signal: null });

    const status = await world.status();
    expect(status).toMatchObject({
      phase: 'Interrupted',
      validation: { outcome: 'Interrupted', exitCode: null },
      evidence: { sha256: '' },
    });
    expect(await steps(world)).toEqual([
      ...succeeded('download', 'recipe'),
      'validate Interrupted',
      'evidence Pending',
    ]);
    const { data } = (await world.configMap('aicr-validate-result')) ?? {};
    expect(Object.keys(data ?? {})).toEqual(['summary.txt']);
    expect(data?.['summary.txt']).toMatch(
      /Interrupted\nno verdict: interrupted at step validate \(SIGTERM\)/,
    );
  });

  test('never sees an identity token that came with the pod’s environment; nor does deploy.sh', async () => {
    const world = await makeWorld();
    const tell = `echo "token of $1: $COSIGN_IDENTITY_TOKEN."`;
    const run = await world.start({
      aicr: tell,
      deploy: `set -- deploy.sh\n${tell}\necho '✓ All components installed successfully'`,
      env: { COSIGN_IDENTITY_TOKEN: 'from the pod' },
      spec: (spec) => ({ ...spec, validate: { ...spec.validate, enabled: true } }),
    });
    expect(await run.ended, run.output()).toMatchObject({ code: 0 });
    for (const child of ['recipe', 'bundle', 'deploy.sh', 'validate']) {
      expect(run.output()).toContain(`token of ${child}: .`);
    }
    expect(run.output()).not.toContain('from the pod');
  });

  test('without the rights that validation takes is not even asked where nothing else was', async () => {
    const world = await makeWorld(null);
    const run = await world.start({ aicr: '[ "$1" = validate ] && echo checking', ...validateOnly });
    expect(await run.ended, run.output()).toMatchObject({ code: 51 });
    expect(run.output()).not.toContain('| checking');
    expect(run.termination()).toMatch(/^RightsMissing: /);
  });
});
