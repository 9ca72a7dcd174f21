import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { RunError } from '../../src/contract/index.ts';
import type { UpgradeCheckStep } from '../../src/runner/planned.ts';
import { runStep } from '../../src/runner/steps/index.ts';
import { sha256 } from './archives.ts';
import { type TestContext, temporaryFolder, testContext } from './context.ts';
import { MemoryCluster, unreachable } from './memory-cluster.ts';
import { program } from './recipes.ts';

const CHECKSUMS = 'abc  deploy.sh\n';
const DIGEST = `sha256:${sha256(Buffer.from(CHECKSUMS))}`;

let work: string;
let cluster: MemoryCluster;
let test: TestContext;

beforeEach(() => {
  work = temporaryFolder();
  cluster = new MemoryCluster();
  test = testContext(cluster);
  mkdirSync(join(work, 'bundle'));
  writeFileSync(join(work, 'bundle', 'checksums.txt'), CHECKSUMS);
});

/** A step whose aicr does what the script says once it is asked for more than its help. */
function step(check: string, change: Partial<UpgradeCheckStep> = {}): UpgradeCheckStep {
  const aicr = join(work, 'aicr');
  const help = 'case "$*" in *--help) echo "   --fail-on-error   exit with 2"; exit 0;; esac';
  writeFileSync(aicr, program(`echo "$@" >> '${join(work, 'asked')}'\n${help}\n${check}`));
  chmodSync(aicr, 0o755);
  return {
    name: 'upgradeCheck',
    does: 'ask',
    argv: [aicr, 'upgrade-check', '--from', 'cluster'],
    helpArgv: [aicr, 'upgrade-check', '--help'],
    dir: join(work, 'bundle'),
    reportFile: join(work, 'upgrade-check.json'),
    failOn: ['blocked'],
    target: { configMap: 'aicr-upgrade-check', release: 'gpu', namespace: 'nvidia-aicr' },
    statusConfigMap: 'gpu-status',
    version: 'v1.2.0',
    ...change,
  };
}

const run = (check: string, change?: Partial<UpgradeCheckStep>) => runStep(step(check, change), test.context);

async function failure(check: string, change?: Partial<UpgradeCheckStep>): Promise<RunError> {
  const error = await run(check, change).then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof RunError)) throw error;
  return error;
}

/** aicr's report of these components, said by a script. */
const says = (components: readonly object[] | null, end = ''): string =>
  `cat <<'REPORT'\n${JSON.stringify({ from: 'cluster', components, summary: {} })}\nREPORT\n${end}`;

const BLOCKED = {
  component: 'gpu-operator',
  change: 'version',
  from: '26.3.3',
  to: '26.7.2',
  verdict: 'blocked',
  reason: 'undefined-origin',
  explanation: 'no record describes an upgrade starting from 26.3.3',
  failsRun: true,
};
const MANUAL = {
  component: 'nfd',
  change: 'version',
  from: '0.19.0',
  to: '0.20.1',
  verdict: 'manual',
  reason: 'recorded',
  explanation: 'recorded manual',
  precondition: 'No node is being tuned.',
  steps: [
    { id: 'widen', description: 'Grant the new rights.', reason: 'The chart does not.' },
    { id: 'narrow', description: 'Take the old rights away.' },
  ],
  failsRun: true,
};
const SAFE = {
  component: 'dra',
  change: 'version',
  from: '0.5.0',
  to: '0.5.1',
  verdict: 'safe',
  reason: 'recorded',
};
const ADDED = { component: 'kai', change: 'added', to: '0.16.9', notes: 'new component' };

describe('the upgrade check', () => {
  it('stops at a blocked component, and says which, why, and how to go on all the same', async () => {
    const error = await failure(says([ADDED, BLOCKED]));
    expect(error.code).toBe('UpgradeBlocked');
    expect(error.message).toBe(
      'aicr upgrade-check: gpu-operator 26.3.3 -> 26.7.2 is blocked (undefined-origin): no record describes an upgrade ' +
        'starting from 26.3.3. Nothing was touched. To go on all the same, set upgradeCheck.failOn to [] (--set-json upgradeCheck.failOn=[])',
    );
    expect(error.hint).toContain('ConfigMap aicr-upgrade-check');
    expect(test.recorded.facts.upgradeCheck).toMatchObject({
      outcome: 'Blocked',
      components: [
        { component: 'gpu-operator', verdict: 'blocked', reason: 'undefined-origin' },
        { component: 'kai', change: 'added', from: '', to: '0.16.9', verdict: '' },
      ],
    });
  });

  it('lets pass what failOn does not name, and warns of it', async () => {
    const outcome = await run(says([BLOCKED, MANUAL, SAFE]), { failOn: [] });
    expect(outcome.message).toBe(
      '3 components change, and 2 of them need attention: gpu-operator 26.3.3 -> 26.7.2 is blocked; nfd 0.19.0 -> 0.20.1 is manual',
    );
    expect(test.recorded.facts.upgradeCheck?.outcome).toBe('NeedsAttention');
    expect(test.recorded.warnings).toEqual([`aicr upgrade-check: ${outcome.message}`]);
  });

  it.each([
    ['manual', ['manual']],
    ['unversioned', ['blocked', 'unversioned']],
    ['unknown', ['unknown']],
    ['a-word-of-later', ['unknown']],
  ])('stops at %s when failOn is %j', async (verdict, failOn) => {
    expect((await failure(says([{ ...BLOCKED, verdict }]), { failOn })).code).toBe('UpgradeBlocked');
  });

  it.each(['manual', 'unversioned', 'unknown', 'a-word-of-later', 'safe', ''])(
    'does not stop at %j by default',
    async (verdict) => {
      expect(await run(says([{ ...BLOCKED, verdict }]))).not.toHaveProperty('failsRun');
    },
  );

  it('says nothing more where everything is safe or new', async () => {
    const outcome = await run(says([SAFE, ADDED]));
    expect(outcome.message).toBe('2 components change, and nothing needs attention');
    expect(test.recorded.facts.upgradeCheck?.outcome).toBe('Passed');
    expect(test.recorded.warnings).toEqual([]);
  });

  it.each([
    ['an empty list', []],
    ['null', null],
  ])('takes %s for no change', async (_, components) => {
    expect((await run(says(components))).message).toBe('no component changes');
  });

  it('goes by the report, whatever the exit code', async () => {
    expect((await failure(says([BLOCKED], 'exit 2'))).code).toBe('UpgradeBlocked');
    expect((await run(says([SAFE], 'exit 8'))).message).toContain('nothing needs attention');
    expect(test.recorded.warnings).toEqual([]);
  });

  it('keeps the verdicts for people and as JSON, with every step', async () => {
    await failure(says([SAFE, MANUAL, BLOCKED]), { failOn: ['blocked'] });
    const texts = cluster.texts('aicr-upgrade-check');
    expect(Object.keys(texts).sort()).toEqual(['summary.txt', 'upgrade-check.json']);
    expect(JSON.parse(texts['upgrade-check.json'] ?? '')).toMatchObject({
      components: [SAFE, MANUAL, BLOCKED],
    });
    expect(
      texts['summary.txt']?.split('\n').filter((line) => !line.startsWith('aicr v1.2.0, ended')),
    ).toEqual([
      'Upgrade check of release gpu in namespace nvidia-aicr: Blocked',
      '3 components change, and 2 of them need attention: gpu-operator 26.3.3 -> 26.7.2 is blocked; nfd 0.19.0 -> 0.20.1 is manual',
      'Verdicts that stop the run (upgradeCheck.failOn): blocked',
      '',
      'Stops the run (1)',
      '  gpu-operator 26.3.3 -> 26.7.2 is blocked (undefined-origin)',
      '      no record describes an upgrade starting from 26.3.3',
      '',
      'Needs attention, does not stop the run (1)',
      '  nfd 0.19.0 -> 0.20.1 is manual (recorded)',
      '      recorded manual',
      '      First: No node is being tuned.',
      '      1. Grant the new rights. (The chart does not.)',
      '      2. Take the old rights away.',
      '',
      'Nothing to do (1)',
      '  dra 0.5.0 -> 0.5.1 is safe',
      '',
      "aicr's whole report:",
      "  kubectl get configmap aicr-upgrade-check -n nvidia-aicr -o jsonpath='{.data.upgrade-check\\.json}'",
      '',
    ]);
    expect(test.recorded.results).toEqual([
      { configMap: 'aicr-upgrade-check', holds: 'the verdicts of the upgrade check' },
    ]);
    expect(test.recorded.log).toContain('  gpu-operator 26.3.3 -> 26.7.2 is blocked (undefined-origin)');
  });

  it('writes no ConfigMap without a name for one', async () => {
    const target = { configMap: '', release: 'gpu', namespace: 'nvidia-aicr' };
    expect((await failure(says([BLOCKED]), { target })).hint).toContain('in the log');
    expect(cluster.applied).toEqual([]);
  });

  it('keeps the status document small, however much changes', async () => {
    const many = Array.from({ length: 300 }, (_, index) => ({
      ...MANUAL,
      component: `component-${index}`,
      explanation: 'x'.repeat(2000),
      precondition: 'y'.repeat(2000),
      steps: Array.from({ length: 50 }, () => ({ id: 'z', description: 'z'.repeat(600) })),
    }));
    const { message } = await run(says([...many, BLOCKED]), { failOn: [] });
    expect(message.length).toBeLessThan(1000);
    expect(message).toContain('; and 296 more');
    const facts = test.recorded.facts.upgradeCheck;
    expect(facts?.components).toHaveLength(30);
    // Six copies of it are in one ConfigMap.
    expect(JSON.stringify(facts).length * 6).toBeLessThan(900 * 1024);
  });
});

describe('an upgrade check that does not work', () => {
  it.each([
    ['says no JSON', 'echo oops', /no report that can be read: exit code 0/],
    ['says something else in JSON', 'echo "[]"', /no report that can be read/],
    ['names no component', says([{ verdict: 'blocked' }]), /no report that can be read/],
    [
      'is refused',
      'echo "[cli] command failed: error=[UNAUTHORIZED] secrets is forbidden exitCode=4" >&2; exit 4',
      /\[UNAUTHORIZED\] secrets is forbidden \(exit code 4: unauthorized/,
    ],
    ['crashes', 'kill -9 $$', /killed \(SIGKILL/],
    ['says far too much', 'head -c 20000000 /dev/zero', /no report that can be read/],
  ])('because it %s is warned of, and stops nothing', async (_, script, why) => {
    cluster.place('aicr-upgrade-check', 'gpu', { 'summary.txt': 'old', 'upgrade-check.json': 'old' });
    const outcome = await run(script);
    expect(outcome).toEqual({ message: expect.stringMatching(why) });
    expect(test.recorded.warnings).toEqual([outcome.message]);
    expect(test.recorded.facts.upgradeCheck).toEqual({
      outcome: 'CheckFailed',
      message: outcome.message,
      components: [],
    });
    // What was said of another move does not stand there as this one's.
    expect(cluster.keys('aicr-upgrade-check')).toEqual(['summary.txt']);
    expect(cluster.texts('aicr-upgrade-check')['summary.txt']).toContain('CheckFailed');
  });

  it('because it hangs is ended, and stops nothing', async () => {
    const clock = { ...test.context.clock, sleep: async () => {} };
    const hanging = step('sleep 60');
    const outcome = await runStep(hanging, { ...test.context, clock });
    expect(outcome.message).toContain('it did not end within 10 minutes');
  });

  it('because the run is stopped is no finding', async () => {
    const reason = new Error('stopped');
    test.abort(reason);
    await expect(run('sleep 60')).rejects.toBe(reason);
    expect(test.recorded.warnings).toEqual([]);
  });
});

describe('aicr without the check', () => {
  it.each([
    ['does not know it', 'exit 3'],
    ['shows the help of the whole program instead', 'echo "COMMANDS: recipe bundle"; exit 0'],
  ])('is told by that it %s, and the check is skipped', async (_, script) => {
    const old = join(work, 'old');
    writeFileSync(old, program(script));
    chmodSync(old, 0o755);
    const outcome = await run(says([BLOCKED]), { helpArgv: [old, '--help'], version: 'v0.20.0' });
    expect(outcome.message).toBe('skipped: aicr v0.20.0 has no upgrade-check');
    expect(test.recorded.facts.upgradeCheck?.outcome).toBe('NotAvailable');
    expect(test.recorded.warnings).toEqual([]);
    expect(cluster.applied).toEqual([]);
  });
});

describe('the same bundle as the last complete run', () => {
  const document = (startedAt: string, change: object = {}): string =>
    JSON.stringify({
      startedAt,
      updatedAt: startedAt,
      job: { name: 'gpu-install-0', uid: '' },
      release: { name: 'gpu' },
      bundle: { digest: DIGEST },
      steps: [{ name: 'deploy', state: 'Succeeded', startedAt: '2026-11-01T00:00:00Z' }],
      components: [{ name: 'a', state: 'Installed' }],
      ...change,
    });
  const other = { bundle: { digest: 'sha256:other' } };
  const failed = { steps: [{ name: 'deploy', state: 'Failed', startedAt: '2026-11-01T00:00:00Z' }] };
  const early = { steps: [{ name: 'deploy', state: 'Pending', startedAt: '' }], components: [] };

  it.each<[string, Record<string, string>]>([
    ['is not asked about', { 'b.json': document('2026-11-02') }],
    [
      'is not, after another one before it',
      { 'a.json': document('2026-11-01', other), 'b.json': document('2026-11-02') },
    ],
    [
      'is not, after a run that never came to deploying',
      { 'a.json': document('2026-11-01'), 'b.json': document('2026-11-02', { ...other, ...early }) },
    ],
    [
      'is not, after a try of the same that failed',
      { 'a.json': document('2026-11-01'), 'b.json': document('2026-11-02', failed) },
    ],
  ])('%s', async (_, data) => {
    cluster.place('gpu-status', 'gpu', {
      'status.json': document('2026-11-09', other),
      'summary.txt': 'x',
      ...data,
    });
    const outcome = await run(says([BLOCKED]));
    expect(outcome.message).toBe('skipped: the last complete run installed this very bundle');
    expect(test.recorded.facts.upgradeCheck?.outcome).toBe('SameBundle');
    expect(cluster.applied).toEqual([]);
  });

  it.each<[string, Record<string, string>]>([
    ['no run was ever complete', { 'a.json': document('2026-11-01', failed) }],
    [
      'a component of it failed',
      { 'a.json': document('2026-11-01', { components: [{ name: 'a', state: 'Failed' }] }) },
    ],
    [
      'the last complete run had another bundle',
      { 'a.json': document('2026-11-01'), 'b.json': document('2026-11-02', other) },
    ],
    [
      'another one was begun since',
      { 'a.json': document('2026-11-01'), 'b.json': document('2026-11-02', { ...other, ...failed }) },
    ],
    ['it was another release', { 'a.json': document('2026-11-01', { release: { name: 'rel' } }) }],
    [
      'the documents cannot be read',
      { 'a.json': '{', 'b.json': 'null', 'c.json': '{"startedAt": "2026-11-01"}' },
    ],
    ['only the shared document says so', { 'status.json': document('2026-11-01') }],
  ])('is asked about when %s', async (_, data) => {
    cluster.place('gpu-status', 'gpu', data);
    expect((await failure(says([BLOCKED]))).code).toBe('UpgradeBlocked');
  });

  it('is asked about where there is no status, or it cannot be read', async () => {
    expect((await failure(says([BLOCKED]), { statusConfigMap: '' })).code).toBe('UpgradeBlocked');
    cluster.trouble = unreachable;
    expect((await failure(says([BLOCKED]))).code).toBe('UpgradeBlocked');
  });
});
