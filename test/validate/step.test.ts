import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RunError, type RunSpec } from '../../src/contract/index.ts';
import type { Host } from '../../src/runner/plan/index.ts';
import type { ValidateStep } from '../../src/runner/planned.ts';
import type { Cluster } from '../../src/runner/ports/index.ts';
import { validate } from '../../src/runner/steps/validate/index.ts';
import { type ApiStore, startApiStore } from '../results/api-store.ts';
import { type TestContext, temporaryFolder, testContext } from '../steps/context.ts';
import { MemoryCluster, unreachable } from '../steps/memory-cluster.ts';
import { host, planWith, step } from '../steps/spec.ts';
import { ctrf, failed, passed, type TestEntry } from './reports.ts';

let api: ApiStore;
let work: string;
let test: TestContext;

beforeAll(async () => {
  api = await startApiStore('gpu', 'stack');
});
afterAll(() => api.stop());
beforeEach(async () => {
  await api.clear();
  work = temporaryFolder();
  test = testContext(api.cluster);
});

/** What the values say about validation. */
type Wish = Partial<RunSpec['validate']>;

const plan = (wish: Wish, on: Host = host): ValidateStep =>
  step(
    planWith((spec) => {
      spec.release = { ...spec.release, name: 'stack', namespace: 'gpu' };
      spec.validate = { ...spec.validate, enabled: true, ...wish };
    }, on),
    'validate',
  );

/** Plans with a program of ours for aicr, which finds the report's path in $out. */
function planScript(script: string, wish: Wish = {}): ValidateStep {
  const aicr = join(work, 'aicr');
  const body = `#!/bin/bash\nout=''\nfor ((i = 1; i <= $#; i++)); do [[ \${!i} == --output ]] && n=$((i + 1)) && out=\${!n}; done\n${script}\n`;
  writeFileSync(aicr, body, { mode: 0o755 });
  const planned = plan(wish, { ...host, work });
  const [, ...args] = planned.argv;
  return { ...planned, argv: [aicr, ...args] };
}

function reporting(tests: readonly TestEntry[], exitCode: number, after = ''): string {
  writeFileSync(join(work, 'prepared.json'), JSON.stringify(ctrf(tests), null, 2));
  return `cp ${join(work, 'prepared.json')} "$out"\n${after}\nexit ${exitCode}`;
}

const captured = async () => (await api.find('aicr-validate-result'))?.data ?? {};

describe('a validation', () => {
  it('that passes leaves its report, byte for byte, and a summary', async () => {
    const outcome = await validate(planScript(reporting([passed('operator-health')], 0)), test.context);
    expect(outcome).toEqual({ message: 'Passed: 1 check: 1 passed' });
    const data = await captured();
    expect(data['ctrf.json']).toBe(readFileSync(join(work, 'prepared.json'), 'utf8'));
    expect(data['summary.txt']).toContain('Validation of release stack in namespace gpu: Passed');
    expect(test.recorded.facts.validation).toEqual({
      outcome: 'Passed',
      exitCode: 0,
      tests: 1,
      passed: 1,
      failed: 0,
      skipped: 0,
      other: 0,
    });
    expect(test.recorded.results.map(({ configMap }) => configMap)).toEqual(['aicr-validate-result']);
  });

  const bad = [
    passed('a'),
    failed('expected-resources', 'Deployment x is missing'),
    { name: 'nccl', status: 'other' },
  ];

  it('that fails is a failure among successes without failOnError', async () => {
    const outcome = await validate(planScript(reporting(bad, 8)), test.context);
    expect(outcome).toMatchObject({ failures: ['validation (Failed)'] });
    expect(outcome.failsRun).toBeUndefined();
    const summary = (await captured())['summary.txt'];
    expect(summary).toContain('Failed (1)\n  expected-resources (deployment)\n      Deployment x is missing');
    expect(summary).toContain('Inconclusive (1)\n  nccl\n      (it said nothing)');
    expect(summary).toContain('What to do:');
    expect(test.recorded.log.join('\n')).toContain('Deployment x is missing');
  });

  it('that fails has a failure for the end of the run with failOnError, --fail-on-error=false or not', async () => {
    for (const exitCode of [8, 0]) {
      const outcome = await validate(
        planScript(reporting(bad, exitCode), { failOnError: true }),
        test.context,
      );
      expect(outcome.failsRun).toMatchObject({
        code: 'ValidationFailed',
        message: expect.stringContaining('expected-resources'),
      });
    }
  });

  it('without a report is an outcome of its own, with aicr’s own words, and no report of an earlier run', async () => {
    writeFileSync(join(work, 'ctrf.json'), JSON.stringify(ctrf([passed('stale')])));
    const script =
      "echo '[cli] command failed: error=[NOT_FOUND] file not found: recipe.yaml exitCode=3' >&2; exit 3";
    const outcome = await validate(planScript(script), test.context);
    expect(outcome.message).toMatch(
      /^NoVerdict: no verdict: aicr wrote no report.*file not found: recipe.yaml \(exit code 3: something it was told to use was not found\)$/,
    );
    const data = await captured();
    expect(Object.keys(data)).toEqual(['summary.txt']);
    expect(data['summary.txt']).toContain('Last lines of aicr validate');
  });

  it('that replaces an earlier verdict leaves nothing of it', async () => {
    await validate(planScript(reporting([passed('a')], 0)), test.context);
    await validate(planScript('exit 1'), test.context);
    expect(Object.keys(await captured())).toEqual(['summary.txt']);
  });

  it('whose report is no JSON keeps the report and says so', async () => {
    const outcome = await validate(planScript(`printf 'ctrf?\\xff\\x1b' > "$out"`), test.context);
    expect(outcome.message).toContain('the report is not a JSON object');
    expect((await captured())['ctrf.json']).toBe('ctrf?\ufffd␛');
  });

  it('in which aicr does not start is no fault of the install', async () => {
    const planned = planScript('exit 0');
    writeFileSync(planned.argv[0], 'no program', { mode: 0o755 });
    const outcome = await validate(planned, test.context);
    expect(outcome.message).toMatch(/^NoVerdict/);
    expect(outcome.failures).toEqual(['validation (NoVerdict)']);
    expect((await captured())['summary.txt']).toContain('does not start');
  });

  it('keeps credentials from aicr', async () => {
    const names = ['COSIGN_IDENTITY_TOKEN', 'DOCKER_CONFIG', 'KUBECONFIG'];
    for (const name of names) process.env[name] = `secret of ${name}`;
    try {
      await validate(planScript('env'), test.context);
      for (const name of names) expect(test.recorded.log.join('\n')).not.toContain(`${name}=`);
    } finally {
      for (const name of names) delete process.env[name];
    }
  });

  it('with a report of 5 MB is split, and still answers to the command of the spec', async () => {
    const loud = (index: number) => ({
      name: `check-${index}`,
      status: index === 7 ? 'failed' : 'passed',
      stdout: ['x'.repeat(100_000)],
    });
    await validate(
      planScript(
        reporting(
          Array.from({ length: 50 }, (_, index) => loud(index)),
          8,
        ),
      ),
      test.context,
    );
    const out = await api.shell(
      "kubectl get cm aicr-validate-result -n gpu -o jsonpath='{.data.ctrf\\.json}' | node -e 'console.log(JSON.parse(require(\"fs\").readFileSync(0)).results.summary.failed)'",
      work,
    );
    expect(out).toBe('1');
    const notes = (await captured())['READ-THIS.txt'] ?? '';
    await api.shell(notes.split('\n').find((line) => line.startsWith('  for ')) ?? 'false', work);
    expect(readFileSync(join(work, 'ctrf.json'), 'utf8')).toBe(
      readFileSync(join(work, 'prepared.json'), 'utf8'),
    );
    expect(test.recorded.warnings).toEqual([expect.stringContaining('ctrf.json is split')]);
  });
});

describe('a validation of what somebody else has installed', () => {
  const alone = (clusterRole: string, required: boolean): ValidateStep => ({
    ...planScript(`touch ${join(work, 'ran')}; exit 1`),
    access: { clusterRole, required },
  });
  const inMemory = (): MemoryCluster => {
    const cluster = new MemoryCluster();
    test = testContext(cluster);
    return cluster;
  };

  it('needs the rights of an installer, and says which are missing before anything runs', async () => {
    inMemory().rights = ['create clusterrolebindings.rbac.authorization.k8s.io'];
    await expect(validate(alone('cluster-admin', true), test.context)).rejects.toMatchObject({
      code: 'RightsMissing',
      message: expect.stringContaining('create clusterrolebindings'),
    });
    expect(existsSync(join(work, 'ran'))).toBe(false);
  });

  it('with a role of its own is tried all the same, and warned of', async () => {
    inMemory().rights = ['create namespaces'];
    await validate(alone('verifier', false), test.context);
    expect(test.recorded.warnings).toEqual([
      expect.stringMatching(
        /create namespaces \(it is bound to ClusterRole verifier\); aicr validate may be/,
      ),
    ]);
    expect(existsSync(join(work, 'ran'))).toBe(true);
  });

  it('needs an API server that answers', async () => {
    inMemory().trouble = unreachable;
    await expect(validate(alone('cluster-admin', true), test.context)).rejects.toMatchObject({
      code: 'ClusterUnreachable',
    });
    expect(existsSync(join(work, 'ran'))).toBe(false);
  });
});

describe('a run that is stopped', () => {
  const interrupted = new RunError('Interrupted', 'the run got SIGTERM', { hint: 'run it again' });
  const whenLogged = (line: string): TestContext => {
    const { log } = test.context;
    const child = (text: string): void => {
      log.child(text);
      if (text === line) test.abort(interrupted);
    };
    return { ...test, context: { ...test.context, log: { ...log, child } } };
  };

  it('during validation says so in the verdict, and ends', async () => {
    const planned = planScript("trap 'exit 9' TERM\necho running\nsleep 60 & wait");
    await expect(validate(planned, whenLogged('running').context)).rejects.toBe(interrupted);
    expect((await captured())['summary.txt']).toContain('Interrupted\nno verdict: the run got SIGTERM');
    expect(test.recorded.facts.validation?.outcome).toBe('Interrupted');
  });

  it('after the report was written keeps the verdict', async () => {
    const planned = planScript(reporting([failed('a')], 0, 'echo written\nsleep 60'));
    await expect(validate(planned, whenLogged('written').context)).rejects.toBe(interrupted);
    const data = await captured();
    expect(data['summary.txt']).toContain('Failed\n1 check: 1 failed (a)');
    expect(data['ctrf.json']).toContain('"failed": 1');
  });

  it('while the verdict is being written still gets it written', async () => {
    const store: Cluster = {
      ...api.cluster,
      readConfigMap: async (name, signal) => {
        test.abort(interrupted);
        return await api.cluster.readConfigMap(name, signal);
      },
    };
    const { context } = { ...test, context: { ...test.context, cluster: store } };
    await validate(planScript(reporting([passed('a')], 0)), context);
    expect((await captured())['ctrf.json']).toContain('"passed": 1');
  });
});

it('a verdict that cannot be written is a warning and is in the log', async () => {
  const store: Cluster = { ...api.cluster, applyConfigMap: () => Promise.reject(new Error('too large')) };
  const outcome = await validate(planScript(reporting([passed('a')], 0)), {
    ...test.context,
    cluster: store,
  });
  expect(outcome).toEqual({ message: 'Passed: 1 check: 1 passed' });
  expect(test.recorded.warnings).toEqual([expect.stringContaining('too large')]);
  expect(test.recorded.log.join('\n')).toContain('1 check: 1 passed');
});
