import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { nextRunId, RunError, rerunLine } from '../../src/contract/index.ts';
import { asRunError, endOfFailure, endOfSuccess, reasonOf } from '../../src/runner/end.ts';
import { readRunSpec } from '../../src/runner/spec.ts';
import { runSpec } from './spec.ts';

const AGAIN =
  "helm upgrade aicr <your chart> -n ns --reuse-values --set-string runId=1 (under a reconciler, or as part of an umbrella chart: set this chart's runId to 1 in the values)";

test('how to run again is one line with the release, its namespace and the next runId', () => {
  expect(rerunLine(runSpec)).toBe(AGAIN);
  expect(rerunLine({ ...runSpec, release: { ...runSpec.release, name: '' } })).toBe('');
});

test.each([
  ['a-9', 'a-10'],
  ['x'.repeat(61), '1'],
  ['a b', '1'],
  ['b a-1', '1'],
  ['a-1 ', '1'],
  ['-1', '-2'],
  [`1${'0'.repeat(15)}`, `1${'0'.repeat(15)}-2`],
])('after the runId %j comes %j', (id, next) => {
  expect(nextRunId(id)).toBe(next);
});

test('the end of a success and of one with failures, in every field', () => {
  const outcome = { message: 'done' };
  expect(endOfSuccess(runSpec, [{ step: 'deploy', outcome }])).toEqual({
    phase: 'Succeeded',
    reason: '',
    message: 'done',
    hint: '',
    logTail: [],
    rerun: '',
  });
  const failing = { message: 'some failed', failures: ['a'] };
  expect(
    endOfSuccess(runSpec, [
      { step: 'recipe', outcome },
      { step: 'evidence', outcome: failing },
    ]),
  ).toEqual({
    phase: 'SucceededWithFailures',
    reason: '',
    message: 'some failed',
    hint: 'Look at what failed in the log; when its cause is gone, run it again.',
    logTail: [],
    rerun: AGAIN,
  });
  const twice = { step: 'deploy', outcome: failing } as const;
  expect(endOfSuccess(runSpec, [twice, twice]).message).toBe('some failed; some failed');
  expect(endOfSuccess(runSpec, [{ step: 'verify', outcome: { message: 'no', failures: [] } }]).phase).toBe(
    'Succeeded',
  );
});

test.each([
  ['DeployFailed', 'Failed', AGAIN],
  ['Interrupted', 'Interrupted', AGAIN],
  ['Superseded', 'Interrupted', ''],
] as const)('a run that ends with %s is %s', (code, phase, rerun) => {
  const error = new RunError(code, 'why', { hint: 'what' });
  expect(endOfFailure(runSpec, error, ['last'])).toEqual({
    phase,
    reason: code,
    message: 'why',
    hint: 'what',
    logTail: ['last'],
    rerun,
  });
  const told = new RunError(code, 'why', { hint: 'what', tail: ['its own'] });
  expect(endOfFailure(runSpec, told, ['last']).logTail).toEqual(['its own']);
});

test('once a run is aborted the abort is the reason, unless a step has worded it better', () => {
  const stop = new RunError('Interrupted', 'stopped', { hint: '' });
  const other = new RunError('DeployFailed', 'exit 1', { hint: '' });
  const better = new RunError('Interrupted', 'stopped at c2', { hint: '', cause: stop });
  const aborted = AbortSignal.abort(stop);
  expect(reasonOf(other, aborted)).toBe(stop);
  expect(reasonOf(better, aborted)).toBe(better);
  expect(reasonOf(other, new AbortController().signal)).toBe(other);
  expect(reasonOf(Object.assign(new Error('x'), { cause: stop }), aborted)).toBe(stop);
});

test('what is no error of a run is a fault of the installer, in one line', () => {
  const thrown = new TypeError('x is not\na function');
  expect(asRunError(thrown)).toMatchObject({
    code: 'Internal',
    message: 'a fault of the installer itself: TypeError: x is not',
    hint: 'Run it again; report it with the log when it stays.',
    cause: thrown,
  });
  expect(asRunError('text').message).toBe('a fault of the installer itself: text');
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  expect(asRunError(full).message).toBe('a file could not be written: no space');
});

const folder = mkdtempSync(join(tmpdir(), 'spec-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'run.json');
const read = (text: string, job = ''): Extract<ReturnType<typeof readRunSpec>, { ok: false }> => {
  writeFileSync(file, text);
  const result = readRunSpec(file, 'pod-namespace', job);
  if (result.ok) throw new Error('it was taken');
  return result;
};
const HINT =
  'The chart writes this file; render it again with an unchanged chart, and report it when the message stays.';

test('a run.json that is not there, or no JSON, is said to be so', () => {
  const { error } = read('{');
  expect(error).toMatchObject({ code: 'RunSpecInvalid', hint: HINT, cause: expect.any(SyntaxError) });
  expect(error.message.startsWith(`${file} is not JSON: `)).toBe(true);
  const missing = readRunSpec(join(folder, 'none'), 'ns', '');
  expect(missing.ok ? '' : missing.error.message).toMatch(/\/none cannot be read: ENOENT/);
});

test('each breach names its key, and what is allowed', () => {
  const breach = (change: object): string => read(JSON.stringify({ ...runSpec, ...change })).error.message;
  const begins = `${file} breaks the contract: `;
  expect(breach({ version: 2 })).toBe(`${begins}version must be equal to constant (1)`);
  expect(breach({ extra: 1 })).toBe(`${begins}run.json must NOT have additional properties (extra)`);
  expect(breach({ aicr: { ...runSpec.aicr, arch: 'mips' } })).toMatch(
    /: aicr\.arch must be equal to one of the allowed values \(auto, /,
  );
  expect(breach({ aicr: { ...runSpec.aicr, sha256: { amd64: 5, arm64: '' } } })).toBe(
    `${begins}aicr.sha256.amd64 must be string`,
  );
  expect(breach({ version: 2, extra: 1 })).toContain('; ');
});

test('of a broken one everything that can be understood is kept, and nothing is left to do', () => {
  const { spec } = read(JSON.stringify({ ...runSpec, run: { id: 'r-7', revision: 4 }, version: 2 }));
  expect(spec).toEqual({
    version: 1,
    chart: { version: '0.3.0' },
    release: { name: 'aicr', namespace: 'ns', fullname: 'aicr' },
    run: { id: 'r-7', revision: 0 },
    aicr: { version: 'v1.2.0', arch: 'auto', sha256: { amd64: '', arm64: '' }, baseUrl: '' },
    criteria: { service: '', accelerator: '', intent: '', os: '', platform: '' },
    pack: { ref: '', plainHTTP: false, insecureTLS: false, secret: '', authDigest: '' },
    recipe: { args: [], flags: '', configMap: '' },
    bundle: { args: [], flags: '', storageClass: '', preinstalledDriver: false },
    deploy: { enabled: false, args: [], flags: '', existingReleases: 'refuse', allowDowngrade: false },
    upgradeCheck: { enabled: false, failOn: [], configMap: '' },
    validate: {
      enabled: false,
      phases: [],
      failOnError: false,
      configMap: '',
      args: [],
      flags: '',
      emitEvidence: false,
      evidenceConfigMap: '',
      publish: {
        enabled: false,
        mode: 'signed',
        ref: '',
        identityToken: { secret: '', key: '' },
        registrySecret: '',
        failOnError: false,
        insecureTLS: false,
        plainHTTP: false,
      },
    },
    status: { configMap: 'aicr-status' },
    environment: { secret: [], plain: [], fromSecrets: false },
    lock: { namespace: '', waitSeconds: null },
    rbac: { clusterRole: '' },
    warnings: [],
  });
  for (const job of ['xaicr', 'aicr-install-', 'aicr-install-xyz', '-install-01', 'a-install-01-b'])
    expect(read('[]', job).spec.status.configMap).toBe('');
  expect(read('7', 'aicr-install-0f').spec.release).toEqual({
    name: 'aicr',
    namespace: 'pod-namespace',
    fullname: 'aicr',
  });
});
