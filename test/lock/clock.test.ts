import { afterEach, beforeEach, expect, test } from 'vitest';
import { RunError } from '../../src/contract/index.ts';
import { acquireLease } from '../../src/runner/lock/acquire.ts';
import type { Claim } from '../../src/runner/lock/claim.ts';
import { type Keeper, keepLease } from '../../src/runner/lock/keeper.ts';
import { claim, heldBy, JumpingClock, MemoryLeases, NAMESPACE } from './leases.ts';

const HOLDER = claim('gpu-install-1', 1, 'ns/gpu');
const WAITER = claim('aicr-install-2', 2);
const AWAY = new RunError('ClusterUnreachable', 'the API server does not answer', {
  hint: '',
  transient: true,
});

let leases: MemoryLeases;
let clock: JumpingClock;
let said: string[];
let ending: AbortController;
const say = (message: string): void => void said.push(message);
const log = { info: say, warn: say, error: say, child: say };

beforeEach(() => {
  leases = new MemoryLeases();
  clock = new JumpingClock();
  said = [];
  ending = new AbortController();
});
afterEach(() => ending.abort());

/** Keeps the Lease for the holder. */
const keep = (): { keeper: Keeper; stopped: RunError[] } => {
  leases.place(heldBy(HOLDER));
  const stopped: RunError[] = [];
  const lease = leases.lease ?? heldBy(HOLDER);
  const stopRun = (reason: (where: string) => RunError): void => void stopped.push(reason('at step deploy'));
  return {
    stopped,
    keeper: keepLease({ leases, clock, log, claim: HOLDER, stopRun, taken: () => {} }, lease),
  };
};

/** Waits for the Lease. */
const wait = (me: Claim = WAITER, waitSeconds: number | null = null) => {
  const end: { taken: string | null; error: unknown } = { taken: null, error: null };
  acquireLease(
    {
      leases,
      clock,
      log,
      namespace: NAMESPACE,
      waitSeconds,
      claim: me,
      newerJob: async () => null,
      found: () => {},
      waiting: () => {},
    },
    ending.signal,
  ).then(
    ({ because }) => {
      end.taken = because;
    },
    (error: unknown) => {
      end.error = error;
    },
  );
  return end;
};

test('a holder that renews keeps the Lease for hours, whatever its clock and the waiting run’s say', async () => {
  const { stopped } = keep();
  const waiting = wait();
  for (let hour = 0; hour < 3; hour += 1) {
    for (const offset of [0, -86_400_000, 0, 3_600_000, 7 * 86_400_000]) {
      clock.offset = offset;
      await clock.pass(12 * 60_000);
    }
  }
  expect(leases.lease?.holder).toBe(HOLDER.holder);
  expect(waiting.taken).toBeNull();
  expect(stopped).toEqual([]);
});

test('a clock that stands still gives a sign of life all the same', async () => {
  keep();
  const waiting = wait();
  Object.defineProperty(clock, 'now', { value: () => new Date('2026-11-30T11:00:00Z') });
  await clock.pass(10 * 60_000);
  expect(waiting.taken).toBeNull();
});

test('a clock that jumps does not make a silent holder look dead earlier, nor later', async () => {
  leases.place(heldBy(HOLDER));
  const waiting = wait();
  await clock.pass(60_000);
  clock.offset = 86_400_000;
  await clock.pass(55_000);
  expect(waiting.taken).toBeNull();
  clock.offset = -86_400_000;
  await clock.pass(10_000);
  expect(waiting.taken).toMatch(/no sign of life for 120 s/);
});

test('time in which the API server is away does not count: the holder renews when it is back, and goes on', async () => {
  const { stopped } = keep();
  const waiting = wait();
  await clock.pass(30_000);
  leases.trouble = AWAY;
  await clock.pass(280_000);
  leases.trouble = null;
  await clock.pass(30_000);
  expect(waiting).toEqual({ taken: null, error: null });
  expect(stopped).toEqual([]);
  expect(said).toContainEqual(expect.stringMatching(/^the Lease .* is renewed again after \d+ s$/));
});

test('what was counted before the API server was away counts on', async () => {
  leases.place(heldBy(HOLDER));
  const waiting = wait();
  await clock.pass(100_000);
  leases.trouble = AWAY;
  await clock.pass(200_000);
  leases.trouble = null;
  await clock.pass(10_000);
  expect(waiting.taken).toBeNull();
  await clock.pass(20_000);
  expect(waiting.taken).toMatch(/no sign of life/);
});

test('a waiting run that itself hung does not count that time', async () => {
  leases.place(heldBy(HOLDER));
  const waiting = wait();
  await clock.pass(10_000);
  clock.elapsed += 300_000;
  await clock.pass(10_000);
  expect(waiting.taken).toBeNull();
});

test('an API server that is away for more than five minutes ends the wait', async () => {
  leases.place(heldBy(HOLDER));
  const waiting = wait();
  await clock.pass(10_000);
  leases.trouble = AWAY;
  await clock.pass(310_000);
  expect(waiting.error).toBe(AWAY);
});

test('lock.waitSeconds counts on the monotonic clock, and not while nobody answers', async () => {
  keep();
  const waiting = wait(WAITER, 60);
  clock.offset = 86_400_000;
  await clock.pass(50_000);
  expect(waiting.error).toBeNull();
  leases.trouble = AWAY;
  await clock.pass(30_000);
  expect(waiting.error).toBeNull();
  leases.trouble = null;
  await clock.pass(10_000);
  expect(waiting.error).toMatchObject({ code: 'LockTimeout' });
});

test('a Lease that is given back is empty at once, and taken at the next look', async () => {
  const { keeper } = keep();
  const waiting = wait();
  await clock.pass(20_000);
  await keeper.release(1000);
  expect(leases.lease?.holder).toBe('');
  await clock.pass(3000);
  expect(waiting.taken).toBe('nobody holds it');
  expect(leases.lease?.transitions).toBe(1);
});

test('a Lease that another run has is not given back', async () => {
  const { keeper, stopped } = keep();
  leases.place(heldBy(WAITER, { transitions: 1 }));
  await clock.pass(10_000);
  await keeper.release(1000);
  expect(leases.lease?.holder).toBe(WAITER.holder);
  expect(stopped).toMatchObject([{ code: 'LockLost' }]);
});
