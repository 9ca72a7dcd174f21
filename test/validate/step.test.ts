import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RunError } from '../../src/contract/index.ts';
import type { ResultStore } from '../../src/runner/results/index.ts';
import { planValidate, type ValidateWish, validate } from '../../src/runner/steps/validate/index.ts';
import { type ApiStore, startApiStore } from '../results/api-store.ts';
import { temporaryFolder } from '../steps/context.ts';
import { type ProofTest, proofContext } from './proof-context.ts';
import { ctrf, failed, passed, type TestEntry } from './reports.ts';

let api: ApiStore;
let work: string;
let test: ProofTest;

beforeAll(async () => {
  api = await startApiStore('gpu', 'stack');
});
afterAll(() => api.stop());
beforeEach(async () => {
  await api.clear();
  work = temporaryFolder();
  test = proofContext(api);
});

const WISH: ValidateWish = {
  phases: ['deployment'],
  failOnError: false,
  emitEvidence: false,
  flags: [],
  args: [],
};

/** Plans with a program of ours for aicr, which finds the report's path in $out. */
function plan(script: string, wish: Partial<ValidateWish> = {}) {
  const aicr = join(work, 'aicr');
  const body = `#!/bin/bash\nout=''\nfor ((i = 1; i <= $#; i++)); do [[ \${!i} == --output ]] && n=$((i + 1)) && out=\${!n}; done\n${script}\n`;
  writeFileSync(aicr, body, { mode: 0o755 });
  const files = {
    aicr,
    recipe: '/r.yaml',
    pack: '',
    report: join(work, 'ctrf.json'),
    evidence: join(work, 'evidence'),
  };
  return planValidate(
    { ...WISH, ...wish },
    files,
    { configMap: 'aicr-validate-result', release: 'stack', namespace: 'gpu' },
    'v1.2.0',
  );
}

function reporting(tests: readonly TestEntry[], exitCode: number, after = ''): string {
  writeFileSync(join(work, 'prepared.json'), JSON.stringify(ctrf(tests), null, 2));
  return `cp ${join(work, 'prepared.json')} "$out"\n${after}\nexit ${exitCode}`;
}

const captured = async () => (await api.find('aicr-validate-result'))?.data ?? {};

describe('the argument list', () => {
  it('is that of the spec: phases, data pack, evidence, report, flags, then args', () => {
    const files = { aicr: '/a', recipe: '/r', pack: '/p', report: '/c', evidence: '/e' };
    const target = { configMap: 'c', release: 'r', namespace: 'n' };
    const wish = {
      phases: ['deployment', 'performance'],
      failOnError: true,
      emitEvidence: true,
      flags: ['--timeout', '9m'],
      args: ['--namespace', 'my ns'],
    };
    expect(planValidate(wish, files, target, 'v1').argv).toEqual([
      '/a',
      'validate',
      '--recipe',
      '/r',
      '--phase',
      'deployment',
      '--phase',
      'performance',
      '--data',
      '/p',
      '--emit-attestation',
      '/e',
      '--output',
      '/c',
      '--timeout',
      '9m',
      '--namespace',
      'my ns',
    ]);
    expect(planValidate(WISH, { ...files, pack: '' }, target, 'v1').argv).toEqual([
      '/a',
      'validate',
      '--recipe',
      '/r',
      '--phase',
      'deployment',
      '--output',
      '/c',
    ]);
  });
});

describe('a validation', () => {
  it('that passes leaves its report, byte for byte, and a summary', async () => {
    const outcome = await validate(plan(reporting([passed('operator-health')], 0)), test.context);
    expect(outcome).toEqual({ message: 'Passed: 1 check: 1 passed' });
    const data = await captured();
    expect(data['ctrf.json']).toBe(readFileSync(join(work, 'prepared.json'), 'utf8'));
    expect(data['summary.txt']).toContain('Validation of release stack in namespace gpu: Passed');
    expect(test.proven.validation).toEqual({
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
    const outcome = await validate(plan(reporting(bad, 8)), test.context);
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
      const outcome = await validate(plan(reporting(bad, exitCode), { failOnError: true }), test.context);
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
    const outcome = await validate(plan(script), test.context);
    expect(outcome.message).toMatch(
      /^NoVerdict: no verdict: aicr wrote no report.*file not found: recipe.yaml \(exit code 3: something it was told to use was not found\)$/,
    );
    const data = await captured();
    expect(Object.keys(data)).toEqual(['summary.txt']);
    expect(data['summary.txt']).toContain('Last lines of aicr validate');
  });

  it('that replaces an earlier verdict leaves nothing of it', async () => {
    await validate(plan(reporting([passed('a')], 0)), test.context);
    await validate(plan('exit 1'), test.context);
    expect(Object.keys(await captured())).toEqual(['summary.txt']);
  });

  it('whose report is no JSON keeps the report and says so', async () => {
    const outcome = await validate(plan(`printf 'ctrf?\\xff\\x1b' > "$out"`), test.context);
    expect(outcome.message).toContain('the report is not a JSON object');
    expect((await captured())['ctrf.json']).toBe('ctrf?\ufffd␛');
  });

  it('in which aicr does not start is no fault of the install', async () => {
    const step = plan('exit 0');
    writeFileSync(step.argv[0], 'no program', { mode: 0o755 });
    const outcome = await validate(step, test.context);
    expect(outcome.message).toMatch(/^NoVerdict/);
    expect(outcome.failures).toEqual(['validation (NoVerdict)']);
    expect((await captured())['summary.txt']).toContain('does not start');
  });

  it('keeps credentials from aicr', async () => {
    const names = ['COSIGN_IDENTITY_TOKEN', 'DOCKER_CONFIG', 'KUBECONFIG'];
    for (const name of names) process.env[name] = `secret of ${name}`;
    try {
      await validate(plan('env'), test.context);
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
      plan(
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

describe('a run that is stopped', () => {
  const interrupted = new RunError('Interrupted', 'the run got SIGTERM', { hint: 'run it again' });
  const whenLogged = (line: string): ProofTest => {
    const { log } = test.context;
    const child = (text: string): void => {
      log.child(text);
      if (text === line) test.abort(interrupted);
    };
    return { ...test, context: { ...test.context, log: { ...log, child } } };
  };

  it('during validation says so in the verdict, and ends', async () => {
    const step = plan("trap 'exit 9' TERM\necho running\nsleep 60 & wait");
    await expect(validate(step, whenLogged('running').context)).rejects.toBe(interrupted);
    expect((await captured())['summary.txt']).toContain('Interrupted\nno verdict: the run got SIGTERM');
    expect(test.proven.validation?.outcome).toBe('Interrupted');
  });

  it('after the report was written keeps the verdict', async () => {
    const step = plan(reporting([failed('a')], 0, 'echo written\nsleep 60'));
    await expect(validate(step, whenLogged('written').context)).rejects.toBe(interrupted);
    const data = await captured();
    expect(data['summary.txt']).toContain('Failed\n1 check: 1 failed (a)');
    expect(data['ctrf.json']).toContain('"failed": 1');
  });

  it('while the verdict is being written still gets it written', async () => {
    const store: ResultStore = {
      ...api,
      readConfigMap: async (name, signal) => {
        test.abort(interrupted);
        return await api.readConfigMap(name, signal);
      },
    };
    const { context } = { ...test, context: { ...test.context, results: store } };
    await validate(plan(reporting([passed('a')], 0)), context);
    expect((await captured())['ctrf.json']).toContain('"passed": 1');
  });
});

it('a verdict that cannot be written is a warning and is in the log', async () => {
  const store: ResultStore = { ...api, applyConfigMap: () => Promise.reject(new Error('too large')) };
  const outcome = await validate(plan(reporting([passed('a')], 0)), { ...test.context, results: store });
  expect(outcome).toEqual({ message: 'Passed: 1 check: 1 passed' });
  expect(test.recorded.warnings).toEqual([expect.stringContaining('too large')]);
  expect(test.recorded.log.join('\n')).toContain('1 check: 1 passed');
});
