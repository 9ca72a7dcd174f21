import { describe, expect, it } from 'vitest';
import type { Change } from '../../src/runner/steps/upgradecheck/report.ts';
import { summariseFailure, summariseUpgrade } from '../../src/runner/steps/upgradecheck/summary.ts';
import { headline, judge, statusOf, whyStopped } from '../../src/runner/steps/upgradecheck/verdict.ts';

const change = (component: string, verdict: string, more: Partial<Change> = {}): Change => ({
  component,
  change: 'version',
  from: '1.0.0',
  to: '2.0.0',
  verdict,
  reason: '',
  explanation: '',
  precondition: '',
  steps: [],
  ...more,
});
const many = (count: number, verdict: string): Change[] =>
  Array.from({ length: count }, (_, index) => change(`c${index}`, verdict));

describe('the verdict on an upgrade', () => {
  it('puts what stops the run first, then what needs attention, then the rest', () => {
    const changes = [
      change('safe', 'safe'),
      change('manual', 'manual'),
      change('new', '', { change: 'added', from: '' }),
      change('blocked', 'blocked'),
    ];
    const [safe, manual, added, blocked] = changes;
    expect(judge(changes, ['blocked'])).toEqual({
      outcome: 'Blocked',
      message:
        '4 components change, and 2 of them need attention: blocked 1.0.0 -> 2.0.0 is blocked; manual 1.0.0 -> 2.0.0 is manual',
      stopping: [blocked],
      attention: [blocked, manual],
      rest: [safe, added],
    });
  });

  it.each([
    [[], 'Passed', 'no component changes'],
    [many(1, 'safe'), 'Passed', '1 component changes, and nothing needs attention'],
    [many(2, ''), 'Passed', '2 components change, and nothing needs attention'],
    [
      many(1, 'unknown'),
      'NeedsAttention',
      '1 component changes, and 1 of them needs attention: c0 1.0.0 -> 2.0.0 is unknown',
    ],
  ])('of %j is %s', (changes, outcome, message) => {
    expect(judge(changes, [])).toMatchObject({ outcome, message, stopping: [] });
  });

  it.each(['blocked', 'manual', 'unknown', 'unversioned'])('stops at %s when it is told so', (verdict) => {
    expect(judge(many(1, verdict), [verdict]).outcome).toBe('Blocked');
    const others = ['blocked', 'manual', 'unknown', 'unversioned'].filter((each) => each !== verdict);
    expect(judge(many(1, verdict), others).outcome).toBe('NeedsAttention');
  });

  it('takes a word that it does not know for unknown, and stops at nothing that is safe', () => {
    expect(judge(many(1, 'word-of-later'), ['unknown']).outcome).toBe('Blocked');
    expect(judge(many(1, 'word-of-later'), ['word-of-later']).outcome).toBe('NeedsAttention');
    expect(judge(many(1, 'safe'), ['safe', 'unknown']).outcome).toBe('Passed');
    expect(judge(many(1, ''), ['', 'unknown']).outcome).toBe('Passed');
  });

  it('names five components, and counts more', () => {
    expect(judge(many(5, 'manual'), []).message).toMatch(/; c4 1\.0\.0 -> 2\.0\.0 is manual$/);
    expect(judge(many(7, 'manual'), []).message).toMatch(/; c4 1\.0\.0 -> 2\.0\.0 is manual; and 2 more$/);
  });
});

it.each([
  [change('a', 'blocked'), 'a 1.0.0 -> 2.0.0 is blocked'],
  [change('a', 'unversioned', { from: '', to: '' }), 'a none -> none is unversioned'],
  [change('a', '', { change: 'added', from: '' }), 'a 2.0.0 is new'],
  [change('a', '', { change: 'removed', to: '' }), 'a 1.0.0 is not in the recipe and stays as it is'],
  [change('a', '', { change: 'identity' }), 'a 1.0.0 -> 2.0.0 (identity)'],
  [change('a', '', { change: 'identity', from: '', to: '' }), 'a none -> none (identity)'],
])('of %j the headline is %s', (found, words) => {
  expect(headline(found)).toBe(words);
});

it('a run that is stopped says at what, why, and how to go on all the same', () => {
  const go =
    '. Nothing was touched. To go on all the same, set upgradeCheck.failOn to [] (--set-json upgradeCheck.failOn=[])';
  const why = (changes: readonly Change[]): string => whyStopped(judge(changes, ['blocked']));
  expect(why([change('a', 'blocked')])).toBe(`aicr upgrade-check: a 1.0.0 -> 2.0.0 is blocked${go}`);
  const told = { reason: 'undefined-origin', explanation: 'x'.repeat(400) };
  expect(why([change('a', 'blocked', told), change('b', 'manual'), change('c', 'blocked')])).toBe(
    `aicr upgrade-check: a 1.0.0 -> 2.0.0 is blocked (undefined-origin): ${'x'.repeat(297)}…; c 1.0.0 -> 2.0.0 is blocked${go}`,
  );
});

it('the status has attention first, and of everything no more than fits', () => {
  const long = 'x'.repeat(600);
  const cut = `${'x'.repeat(509)}…`;
  const everything = {
    component: long,
    change: long,
    from: long,
    to: long,
    verdict: long,
    reason: long,
    explanation: long,
    precondition: long,
  };
  const steps = Array.from({ length: 11 }, (_, index) => `${index}${long}`);
  const verdict = judge([...many(30, 'safe'), { ...everything, steps }], []);
  const status = statusOf(verdict);
  expect(status).toMatchObject({ outcome: 'NeedsAttention', message: verdict.message });
  expect(status?.components).toHaveLength(30);
  expect(status?.components[0]).toEqual({
    ...Object.fromEntries(Object.keys(everything).map((key) => [key, cut])),
    steps: Array.from({ length: 10 }, (_, index) => `${index}${'x'.repeat(296)}…`),
  });
  expect(status?.components[1]).toEqual(change('c0', 'safe'));
});

const facts = {
  release: 'gpu',
  namespace: 'ns',
  configMap: 'aicr-upgrade-check',
  version: 'v1.2.0',
  failOn: ['blocked', 'unknown'],
  endedAt: new Date('2026-11-30T10:00:00Z'),
};
const WHOLE = `aicr's whole report:
  kubectl get configmap aicr-upgrade-check -n ns -o jsonpath='{.data.upgrade-check\\.json}'
`;

describe('the summary of an upgrade check', () => {
  it('has each component, with reasons and steps where it needs attention', () => {
    const told = {
      reason: 'recorded',
      explanation: 'Two steps.',
      precondition: 'No job runs.',
      steps: ['Drain.', 'Wait.'],
    };
    const changes = [
      change('a', 'safe'),
      change('b', 'manual', told),
      change('c', 'blocked'),
      change('d', 'safe'),
    ];
    expect(
      summariseUpgrade(judge(changes, ['blocked']), facts),
    ).toBe(`Upgrade check of release gpu in namespace ns: Blocked
4 components change, and 2 of them need attention: c 1.0.0 -> 2.0.0 is blocked; b 1.0.0 -> 2.0.0 is manual
aicr v1.2.0, ended 2026-11-30T10:00:00.000Z
Verdicts that stop the run (upgradeCheck.failOn): blocked, unknown

Stops the run (1)
  c 1.0.0 -> 2.0.0 is blocked

Needs attention, does not stop the run (1)
  b 1.0.0 -> 2.0.0 is manual (recorded)
      Two steps.
      First: No job runs.
      1. Drain.
      2. Wait.

Nothing to do (2)
  a 1.0.0 -> 2.0.0 is safe
  d 1.0.0 -> 2.0.0 is safe

${WHOLE}`);
  });

  it('leaves out what there is nothing of', () => {
    expect(
      summariseUpgrade(judge([], []), { ...facts, failOn: [] }),
    ).toBe(`Upgrade check of release gpu in namespace ns: Passed
no component changes
aicr v1.2.0, ended 2026-11-30T10:00:00.000Z
Verdicts that stop the run (upgradeCheck.failOn): none

${WHOLE}`);
  });

  it('that came to no verdict says why, with the last lines', () => {
    const head = `Upgrade check of release gpu in namespace ns: CheckFailed
it crashed
aicr v1.2.0, ended 2026-11-30T10:00:00.000Z
`;
    expect(summariseFailure('it crashed', [], facts)).toBe(head);
    expect(summariseFailure('it crashed', ['one', 'two'], facts)).toBe(
      `${head}\nLast lines of aicr upgrade-check\n  one\n  two\n`,
    );
  });
});
