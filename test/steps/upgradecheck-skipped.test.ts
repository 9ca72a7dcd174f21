import { beforeEach, describe, expect, it } from 'vitest';
import { runStep } from '../../src/runner/steps/index.ts';
import type { TestContext } from './context.ts';
import { type MemoryCluster, unreachable } from './memory-cluster.ts';
import { BLOCKED, DIGEST, says, UpgradeCheck } from './upgrade-check.ts';

let check: UpgradeCheck;
let cluster: MemoryCluster;
let test: TestContext;
let run: UpgradeCheck['run'];
let failure: UpgradeCheck['failure'];

beforeEach(() => {
  check = new UpgradeCheck();
  ({ cluster, test, run, failure } = check);
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
    const hanging = check.step('sleep 60');
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
    const old = check.script('old', script);
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
