import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { RunError } from '../../src/contract/index.ts';
import type { DeployStep } from '../../src/runner/planned.ts';
import { runStep, type StepOutcome } from '../../src/runner/steps/index.ts';
import { type TestContext, temporaryFolder, testContext } from './context.ts';
import { MemoryCluster } from './memory-cluster.ts';
import { placeTools } from './tools.ts';

let work: string;
let cluster: MemoryCluster;
let test: TestContext;

beforeEach(() => {
  work = temporaryFolder();
  cluster = new MemoryCluster();
  test = testContext(cluster);
  placeTools(work);
});

const START_A = "echo '┌─ [1/2] alpha  →  alpha-ns'";
const OK_A = "echo '└─ ✓ alpha installed'";
const START_B = "echo '┌─ [2/2] beta  →  beta-ns'";
const OK_B = "echo '└─ ✓ beta installed'";
const FAIL_A = [
  START_A,
  "echo 'Error: UPGRADE FAILED: no such image' >&2",
  "echo '  ↺ alpha: attempt 1/1 failed, retrying in 5s...'",
  "echo 'Error: UPGRADE FAILED: no such image' >&2",
  "echo '└─ ✗ alpha FAILED (after 2 attempts)'",
].join('\n');
const ALL = "echo '✓ All components installed successfully.'";
const REPORT_A = "echo '✗ Deployment completed with failures (--best-effort): alpha'";
const DEFERRAL = "echo '⚠ DRA kubelet plugin restart blocked, retry needed for: nvidia-dra-driver-gpu'";
const GOOD = [START_A, OK_A, START_B, OK_B].join('\n');

function step(script: string, change: Partial<DeployStep> & { args?: readonly string[] } = {}): DeployStep {
  const dir = join(work, 'bundle');
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'deploy.sh'), `${script}\n`);
  const { args = [], ...rest } = change;
  const claims = {
    namespace: 'kube-system',
    required: true,
    change: { 'alpha-ns.alpha': '{}' },
    planned: [],
  };
  writeFileSync(join(work, 'claims.json'), JSON.stringify(claims));
  return {
    name: 'deploy',
    does: 'deploy',
    argv: ['bash', join(dir, 'deploy.sh'), ...args],
    dir,
    bestEffort: false,
    claimsFile: join(work, 'claims.json'),
    ...rest,
  };
}

const deploy = (script: string, change?: Parameters<typeof step>[1]): Promise<StepOutcome> =>
  runStep(step(script, change), test.context);
const bestEffort = (script: string): Promise<StepOutcome> => deploy(script, { bestEffort: true });

async function failure(ended: Promise<StepOutcome>): Promise<RunError> {
  const error = await ended.then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof RunError)) throw error;
  return error;
}

describe('a deployment', () => {
  it('that goes well is followed component by component', async () => {
    const outcome = await deploy([GOOD, ALL].join('\n'));
    expect(outcome).toEqual({ message: 'all 2 components are installed', failures: [] });
    expect(test.recorded.components.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'alpha Installing',
      'alpha Installed',
      'beta Installing',
      'beta Installed',
    ]);
    expect(test.recorded.components[0]).toMatchObject({
      index: 1,
      of: 2,
      namespace: 'alpha-ns',
      attempts: 1,
    });
  });

  it('gets its arguments as they are', async () => {
    const args = ['--retries', '1', "it's a $HOME * test", ''];
    await deploy(`printf '%s\\n' "$@" > '${join(work, 'args')}'; ${GOOD}\n${ALL}`, { args });
    expect(readFileSync(join(work, 'args'), 'utf8')).toBe(`${args.join('\n')}\n`);
  });

  it('runs in the bundle, in plain text, on the cluster it is in', async () => {
    const unset = ['KUBECONFIG', 'KUBECONFIG_FLAG', 'KUBE_CONTEXT', 'DRY_RUN_FLAG', 'HELM_DEBUG_FLAG'];
    for (const name of unset) process.env[name] = 'leaks in';
    try {
      await deploy(`env > '${join(work, 'env')}'; pwd >> '${join(work, 'env')}'; ${GOOD}\n${ALL}`);
    } finally {
      for (const name of unset) delete process.env[name];
    }
    const seen = readFileSync(join(work, 'env'), 'utf8').split('\n');
    expect(seen).toContain('NO_COLOR=1');
    expect(seen).toContain(join(work, 'bundle'));
    expect(seen.filter((line) => unset.some((name) => line.startsWith(`${name}=`)))).toEqual([]);
  });

  it('that says nothing of its end is let pass, and that is said', async () => {
    const outcome = await deploy(GOOD);
    expect(outcome.failures).toEqual(['deploy.sh']);
    expect(outcome.message).toContain('neither');
    expect(test.recorded.warnings).toEqual([expect.stringContaining('neither')]);
  });

  it('may write anything at all', async () => {
    const noise =
      'printf "\\xff\\xfe\\x00\\x1b[31m bytes\\n"; head -c 300000 /dev/zero | tr "\\0" x; echo; yes line | head -n 20000';
    await expect(deploy([noise, GOOD, ALL].join('\n'))).resolves.toMatchObject({ failures: [] });
  });
});

describe('a component that fails', () => {
  it('fails the step without --best-effort, named with its reason and attempts', async () => {
    const error = await failure(deploy(`${FAIL_A}\nexit 1`));
    expect(error.code).toBe('DeployFailed');
    expect(error.message).toBe(
      'component alpha failed: Error: UPGRADE FAILED: no such image after 2 attempts (deploy.sh: exit code 1)',
    );
    expect(error.tail[0]).toBe('alpha: Error: UPGRADE FAILED: no such image');
    expect(test.recorded.components.at(-1)).toMatchObject({ name: 'alpha', state: 'Failed', attempts: 2 });
  });

  it('is warned of with --best-effort, and named in the outcome', async () => {
    const outcome = await bestEffort([FAIL_A, START_B, OK_B, REPORT_A].join('\n'));
    expect(outcome.failures).toEqual(['alpha']);
    expect(outcome.message).toBe('1 of 2 components failed and --best-effort went on: alpha');
    expect(test.recorded.warnings).toEqual([
      'alpha failed: Error: UPGRADE FAILED: no such image after 2 attempts',
    ]);
  });

  it('fails the step although deploy.sh exits 0, when --best-effort was not given', async () => {
    const error = await failure(deploy([FAIL_A, START_B, OK_B, REPORT_A].join('\n')));
    expect(error.code).toBe('DeployFailed');
    expect(error.message).toContain('alpha');
  });

  it('keeps its own first error lines in the tail, however much comes after', async () => {
    const error = await failure(deploy([FAIL_A, 'yes noise | head -n 500', 'exit 1'].join('\n')));
    expect(error.tail[0]).toContain('no such image');
    expect(error.tail).toHaveLength(40);
    expect(error.tail.at(-1)).toBe('noise');
  });

  it('is charged with its own errors only, when several fail', async () => {
    const failing = (index: number, name: string): string =>
      `echo '┌─ [${index}/9] ${name}  →  ns'; echo 'Error: fault of ${name}' >&2; echo '└─ ✗ ${name} FAILED (after 1 attempts)'`;
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
    await bestEffort(
      [
        ...names.map((name, index) => failing(index + 1, name)),
        `echo '✗ Deployment completed with failures (--best-effort): ${names.join(' ')}'`,
      ].join('\n'),
    );
    expect(test.recorded.warnings).toEqual(
      names.map((name) => `${name} failed: Error: fault of ${name} after 1 attempt`),
    );
  });
});

describe('a deferred DRA restart', () => {
  const deferred = [GOOD, ALL, DEFERRAL, 'exit 2'].join('\n');

  it('is warned of with --best-effort', async () => {
    const outcome = await bestEffort(deferred);
    expect(outcome.message).toContain('nvidia-dra-driver-gpu');
    expect(outcome.failures).toHaveLength(1);
    expect(test.recorded.warnings).toEqual([
      expect.stringContaining('deploy.sh deferred the DRA kubelet-plugin restart (exit 2)'),
    ]);
  });

  it('fails the step without', async () => {
    const error = await failure(deploy(deferred));
    expect(error.code).toBe('DeployDeferred');
    expect(error.message).toContain('nvidia-dra-driver-gpu');
  });

  it('is no excuse for failed components', async () => {
    const error = await failure(bestEffort([FAIL_A, REPORT_A, DEFERRAL, 'exit 2'].join('\n')));
    expect(error.code).toBe('DeployFailed');
    expect(error.message).toContain('alpha');
  });

  it('has to be said: any other exit 2 is fatal', async () => {
    const error = await failure(bestEffort([GOOD, ALL, 'exit 2'].join('\n')));
    expect(error.code).toBe('DeployFailed');
    expect(error.hint).toContain('Exit 2');
  });
});

describe('a deploy.sh that does not get far', () => {
  it('because of an argument says which are allowed', async () => {
    const error = await failure(
      deploy(
        "echo 'Error: unknown option: --nope'; echo 'Usage: ./deploy.sh [--no-wait] [--best-effort] [--retries N]'; exit 1",
      ),
    );
    expect(error.message).toContain('unknown option: --nope');
    expect(error.hint).toContain('deployFlags');
  });

  it('because of its pre-flight says what it found', async () => {
    const error = await failure(
      deploy(
        "echo \"ERROR: namespace 'gpu-operator' is still terminating from a previous install.\"; echo '✗ Pre-flight checks failed. Fix the issues above before deploying.'; exit 1",
      ),
    );
    expect(error.message).toContain("namespace 'gpu-operator' is still terminating");
    expect(error.hint).toContain('pre-flight');
  });

  it('because a program is missing says so', async () => {
    const error = await failure(deploy(`${START_A}\nno-such-program`));
    expect(error.message).toContain('component alpha');
    expect(error.message).toContain('127');
  });

  it('because it is killed says so', async () => {
    const error = await failure(deploy(`${START_A}\nkill -KILL $$`));
    expect(error.message).toContain('SIGKILL');
    expect(error.message).toContain('in the middle of component alpha');
    expect(test.recorded.components.at(-1)).toMatchObject({ name: 'alpha', state: 'Interrupted' });
  });
});

describe('when the run ends in the middle', () => {
  it('deploy.sh and its children get SIGTERM, and the component is interrupted', async () => {
    const over = new RunError('Interrupted', 'SIGTERM', { hint: 'x' });
    const ended = failure(deploy(`trap 'echo got-term; exit 130' TERM\n${START_A}\nsleep 300 & wait`));
    await expect.poll(() => test.recorded.components.length).toBe(1);
    test.abort(over);
    expect(await ended).toBe(over);
    expect(test.recorded.log).toContain('got-term');
    expect(test.recorded.components.at(-1)).toMatchObject({ name: 'alpha', state: 'Interrupted' });
  });
});
