import { describe, expect, test } from 'vitest';
import type { Claim } from '../../src/runner/lock/claim.ts';
import { decideToKeep, decideToTake } from '../../src/runner/lock/decide.ts';
import { supersededLease, takenLease } from '../../src/runner/lock/document.ts';
import type { Lease, PodState } from '../../src/runner/ports/index.ts';
import { claim, heldBy, NAMESPACE } from './leases.ts';

const OLD = claim('aicr-install-1', 1);
const ME = claim('aicr-install-2', 2);
const NEW = claim('aicr-install-3', 3);
const FOREIGN = claim('gpu-install-9', 9, 'ns/gpu');
/** The same with a Job whose age is not known. */
const withoutAge = (run: Claim): Claim => ({ ...run, job: { ...run.job, createdAt: '' } });

describe('a run that wants the Lease', () => {
  const cases: readonly [string, Lease | null, PodState, number, object][] = [
    ['takes one that is not there', null, 'unknown', 0, { move: 'take' }],
    ['takes one that nobody holds', heldBy(OLD, { holder: '' }), 'unknown', 0, { move: 'take' }],
    ['has it when it says so', heldBy(ME), 'unknown', 0, { move: 'hold' }],
    ['waits for another release', heldBy(FOREIGN), 'alive', 0, { move: 'wait' }],
    ['waits when the pod may not be read', heldBy(FOREIGN), 'unknown', 119_999, { move: 'wait' }],
    ['takes it from a pod that is gone', heldBy(FOREIGN), 'gone', 0, { move: 'take' }],
    ['takes it from a pod that has finished', heldBy(FOREIGN), 'finished', 0, { move: 'take' }],
    ['waits for a silent holder', heldBy(FOREIGN), 'alive', 119_999, { move: 'wait' }],
    ['takes it from one that is silent for two minutes', heldBy(FOREIGN), 'alive', 120_000, { move: 'take' }],
    ['and whose pod it may not read', heldBy(FOREIGN), 'unknown', 120_000, { move: 'take' }],
    [
      'keeps to a longer time that the Lease states',
      heldBy(FOREIGN, { durationSeconds: 300 }),
      'alive',
      120_000,
      { move: 'wait' },
    ],
    ['but to no shorter one', heldBy(FOREIGN, { durationSeconds: 1 }), 'alive', 60_000, { move: 'wait' }],
    ['supersedes an older run of its release', heldBy(OLD), 'alive', 0, { move: 'supersede' }],
    ['says so once', supersededLease(heldBy(OLD), ME.job), 'alive', 0, { move: 'wait' }],
    [
      'outbids an older successor',
      supersededLease(heldBy(claim('aicr-install-0', 0)), OLD.job),
      'alive',
      0,
      { move: 'supersede' },
    ],
    ['yields to a newer run of its release', heldBy(NEW), 'alive', 0, { move: 'yield', to: NEW.job }],
    [
      'yields to a newer one that waits',
      supersededLease(heldBy(OLD), NEW.job),
      'alive',
      0,
      { move: 'yield', to: NEW.job },
    ],
    ['takes it from a newer one that is gone', heldBy(NEW), 'gone', 0, { move: 'take' }],
    [
      'waits for the pod before it of its own Job',
      heldBy({ ...ME, holder: 'ns/before/uid' }),
      'alive',
      0,
      { move: 'wait' },
    ],
    [
      'waits for a run of its release whose age it does not know',
      heldBy(withoutAge(OLD)),
      'alive',
      0,
      { move: 'wait' },
    ],
    [
      'waits for a release of its name in another namespace',
      heldBy(claim('aicr-install-1', 1, 'other/aicr')),
      'alive',
      0,
      { move: 'wait' },
    ],
    [
      'waits for another instance of its chart',
      heldBy(claim('b-install-1', 1)),
      'alive',
      0,
      { move: 'wait' },
    ],
    [
      'waits for a holder that is no run of the chart',
      heldBy(FOREIGN, { holder: 'someone', annotations: {} }),
      'unknown',
      0,
      { move: 'wait' },
    ],
  ];
  test.each(cases)('%s', (_, lease, pod, unchangedMs, move) => {
    expect(decideToTake(lease, ME, pod, unchangedMs)).toMatchObject(move);
  });

  test.each([
    [null, 'alive', 0, 'there was none yet'],
    [heldBy(OLD, { holder: '' }), 'alive', 0, 'nobody holds it'],
    [heldBy(FOREIGN), 'gone', 0, `${FOREIGN.holder}, which held it, is gone`],
    [heldBy(FOREIGN), 'finished', 0, `${FOREIGN.holder}, which held it, has finished`],
    [
      heldBy(FOREIGN),
      'alive',
      120_000,
      `${FOREIGN.holder}, which held it, has given no sign of life for 120 s`,
    ],
  ] as const)('says why it takes it (%#)', (lease, pod, unchangedMs, because) => {
    expect(decideToTake(lease, ME, pod, unchangedMs)).toEqual({ move: 'take', because });
  });

  test('of two Jobs of one second the greater name is the newer', () => {
    const [one, other] = [claim('aicr-install-a', 5), claim('aicr-install-b', 5)];
    expect(decideToTake(heldBy(one), other, 'alive', 0)).toMatchObject({ move: 'supersede' });
    expect(decideToTake(heldBy(other), one, 'alive', 0)).toMatchObject({ move: 'yield' });
  });

  test('neither supersedes nor yields when it does not know its own age', () => {
    for (const holder of [OLD, NEW]) {
      expect(decideToTake(heldBy(holder), withoutAge(ME), 'alive', 0)).toEqual({ move: 'wait' });
    }
  });
});

describe('a run that finds its Lease changed', () => {
  const mine = heldBy(ME, { transitions: 4 });
  const cases: readonly [string, Lease | null, object][] = [
    [
      'has lost it to who holds it now',
      heldBy(FOREIGN, { transitions: 5 }),
      { standing: 'lost', to: FOREIGN },
    ],
    ['may take it again when it was deleted', null, { standing: 'free' }],
    ['may take it again when it was emptied', { ...mine, holder: '' }, { standing: 'free' }],
    [
      'has lost it when another one had it meanwhile',
      { ...mine, holder: '', transitions: 5 },
      { standing: 'lost', to: null },
    ],
    ['still holds it', mine, { standing: 'held', successor: null }],
    ['sees that a newer run waits', supersededLease(mine, NEW.job), { standing: 'held', successor: NEW.job }],
    [
      'does not give way to an older one',
      supersededLease(mine, OLD.job),
      { standing: 'held', successor: null },
    ],
    [
      'nor to one of unknown age',
      supersededLease(mine, { name: 'z', createdAt: '' }),
      { standing: 'held', successor: null },
    ],
  ];
  test.each(cases)('%s', (_, lease, standing) => {
    expect(decideToKeep(lease, ME, mine.transitions)).toEqual(standing);
  });
});

test('what others wrote on the Lease stays when it is taken; what was said to the holder before does not', () => {
  const found = supersededLease(
    heldBy(OLD, { annotations: { 'acme.example/note': 'x' }, labels: { team: 'a' }, transitions: 6 }),
    NEW.job,
  );
  const taken = takenLease(found, NAMESPACE, ME, new Date('2026-11-30T12:00:00.123Z'));
  expect(taken).toMatchObject({
    resourceVersion: '1',
    holder: ME.holder,
    transitions: 7,
    acquireTime: '2026-11-30T12:00:00.123000Z',
    labels: { team: 'a' },
  });
  expect(taken.annotations).toEqual({
    'acme.example/note': 'x',
    'nvidia-aicr/release': 'ns/aicr',
    'nvidia-aicr/job': 'aicr-install-2',
    'nvidia-aicr/job-created-at': '2026-11-30T10:00:02Z',
  });
});
