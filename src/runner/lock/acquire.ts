import { RunError } from '../../contract/index.ts';
import type { JobAge } from '../job-order.ts';
import type { Log } from '../log.ts';
import { type Clock, type Lease, type Leases, messageOf } from '../ports/index.ts';
import { type Claim, podOf } from './claim.ts';
import { decideToTake, type Move } from './decide.ts';
import { LEASE_NAME, supersededLease, takenLease } from './document.ts';
import { afterFailure, afterRead, newWatch, type Watch } from './watch.ts';
import { describeHolder, describeLease, mayNot, superseded, timeout } from './words.ts';

const POLL_MS = 3000;

/** How long rights may be missing at first: a fresh binding reaches all API servers within seconds. */
const RIGHTS_MS = 5000;

/** How long no answer at all is borne. */
const SILENCE_MS = 300_000;

export interface Acquisition {
  readonly leases: Leases;
  readonly clock: Clock;
  readonly log: Log;
  /** Of the Lease. */
  readonly namespace: string;
  /** How long another run is waited for; null: until the run's own deadline. */
  readonly waitSeconds: number | null;
  readonly claim: Claim;
  /** The newest Job of the release that is newer than this run's; null when there is none. */
  readonly newerJob: (signal: AbortSignal) => Promise<JobAge | null>;
  /** Told what each look found. */
  readonly found: (lease: Lease | null) => void;
  /** Told, in a sentence, whom the run waits for. */
  readonly waiting: (message: string) => void;
}

/**
 * Waits for the Lease and takes it.
 * @returns as it is held, and why it could be taken
 * @throws RunError `LockTimeout`, `Superseded`, `RightsMissing`, `RunSpecInvalid` (no such namespace),
 *   `ClusterUnreachable`; or the signal's abort reason
 */
export async function acquireLease(
  acquisition: Acquisition,
  signal: AbortSignal,
): Promise<{ readonly lease: Lease; readonly because: string }> {
  const { clock, log, waitSeconds } = acquisition;
  const began = clock.monotonic();
  let failingSince: number | null = null;
  let watch = newWatch;
  let heldByOther: Lease | null = null;
  try {
    for (;;) {
      try {
        const look = await lookAt(acquisition, watch, signal);
        watch = look.watch;
        const taken = await act(acquisition, look, signal);
        if (failingSince !== null) {
          log.info('the API server answers again');
          failingSince = null;
        }
        if (taken === 'again') {
          continue;
        }
        if (taken !== null) {
          return taken;
        }
        heldByOther = look.lease;
      } catch (error) {
        signal.throwIfAborted();
        const failingMs = clock.monotonic() - (failingSince ?? clock.monotonic());
        if (!mayPass(error, failingMs)) {
          throw error instanceof RunError && error.code === 'RightsMissing'
            ? mayNot(acquisition.namespace, error)
            : error;
        }
        if (failingSince === null) {
          log.warn(`${messageOf(error)}; trying again`);
          failingSince = clock.monotonic();
        }
        watch = afterFailure(watch);
      }
      const waitedMs = clock.monotonic() - began;
      if (
        failingSince === null &&
        heldByOther !== null &&
        waitSeconds !== null &&
        waitedMs >= waitSeconds * 1000
      ) {
        throw timeout(
          heldByOther,
          waitSeconds === 0 ? 'not at all' : `for ${waitSeconds} s`,
          'lock.waitSeconds',
        );
      }
      await clock.sleep(POLL_MS, signal);
    }
  } catch (error) {
    // The deadline came because of the other run: that is the reason to tell.
    const atDeadline = signal.aborted && error === signal.reason && isDeadline(error);
    throw atDeadline && heldByOther !== null
      ? timeout(heldByOther, "until this run's own deadline", 'job.activeDeadlineSeconds', error)
      : error;
  }
}

const isDeadline = (error: unknown): boolean =>
  error instanceof RunError && error.code === 'DeadlineExceeded';

/** Whether trying again may help. @param failingMs for how long it has not */
const mayPass = (error: unknown, failingMs: number): boolean =>
  error instanceof RunError &&
  (error.code === 'ClusterUnreachable'
    ? failingMs < SILENCE_MS
    : error.code === 'RightsMissing' && failingMs < RIGHTS_MS);

interface Look {
  readonly lease: Lease | null;
  readonly watch: Watch;
  readonly move: Move;
}

/** Reads the Lease and its holder's pod. */
async function lookAt(
  { leases, clock, namespace, claim, found }: Acquisition,
  before: Watch,
  signal: AbortSignal,
): Promise<Look> {
  const lease = await leases.readLease(namespace, LEASE_NAME, signal);
  found(lease);
  const watch = lease === null ? newWatch : afterRead(before, lease, clock.monotonic());
  const holder = lease === null || lease.holder === claim.holder ? null : podOf(lease.holder);
  const pod = holder === null ? 'unknown' : await leases.podState(holder, signal);
  return { lease, watch, move: decideToTake(lease, claim, pod, watch.unchangedMs) };
}

/** Does what was decided. @returns the Lease once it is held, `again` to look at once, null to wait */
async function act(
  acquisition: Acquisition,
  { lease, move }: Look,
  signal: AbortSignal,
): Promise<{ lease: Lease; because: string } | 'again' | null> {
  const { leases, clock, namespace, claim, waitSeconds } = acquisition;
  switch (move.move) {
    case 'hold':
      return lease === null ? 'again' : { lease, because: 'it is held already' };
    case 'yield':
      throw superseded(move.to, '');
    case 'take': {
      const newer = await acquisition.newerJob(signal);
      if (newer !== null) {
        throw superseded(newer, '');
      }
      const wanted = takenLease(lease, namespace, claim, clock.now());
      const taken = await (lease === null
        ? leases.createLease(wanted, signal)
        : leases.replaceLease(wanted, signal));
      return taken === null ? 'again' : { lease: taken, because: move.because };
    }
    case 'supersede':
      // A run that does not wait would stop the other one for nobody.
      if (lease !== null && waitSeconds !== 0) {
        await leases.replaceLease(supersededLease(lease, claim.job), signal);
      }
      break;
    case 'wait':
      break;
  }
  if (lease !== null && waitSeconds !== 0) {
    acquisition.waiting(waitingMessage(lease, waitSeconds));
  }
  return null;
}

const waitingMessage = (lease: Lease, waitSeconds: number | null): string =>
  `waiting for ${describeLease(lease.namespace)}: ${describeHolder(lease)}; gives up ${
    waitSeconds === null ? "at this run's own deadline" : `after ${waitSeconds} s (lock.waitSeconds)`
  }, and waiting counts against job.activeDeadlineSeconds`;
