import { beforeEach, describe, expect, it } from 'vitest';
import type { TestContext } from './context.ts';
import type { MemoryCluster } from './memory-cluster.ts';
import { BLOCKED, says, UpgradeCheck } from './upgrade-check.ts';

let cluster: MemoryCluster;
let test: TestContext;
let run: UpgradeCheck['run'];
let failure: UpgradeCheck['failure'];

beforeEach(() => {
  ({ cluster, test, run, failure } = new UpgradeCheck());
});

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
