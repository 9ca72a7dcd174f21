import type { RunError } from '../../contract/index.ts';
import type { Log } from '../log.ts';
import { type Clock, type Lease, type Leases, messageOf } from '../ports/index.ts';
import type { Claim } from './claim.ts';
import { decideToKeep } from './decide.ts';
import { LEASE_NAME, releasedLease, renewedLease, takenLease } from './document.ts';
import { describeLease, lost, superseded } from './words.ts';

const RENEW_MS = 10_000;

/** Pause after a renewal that failed. */
const RETRY_MS = 3000;

/** How long a renewal under way may still take when the Lease is given back. */
const IN_FLIGHT_MS = 2000;

/** How often giving it back is tried against others who write to it. */
const MOST_TRIES = 3;

export interface Keeping {
  readonly leases: Leases;
  readonly clock: Clock;
  readonly log: Log;
  readonly claim: Claim;
  /** Stops the run, with the reason; says first where it is. */
  readonly stopRun: (reason: (where: string) => RunError) => void;
  /** Told when another run has the Lease. */
  readonly taken: (lease: Lease) => void;
}

/** Renews the Lease in the background until it is given back. */
export interface Keeper {
  /** Ends the renewal and gives the Lease back, when it is still this run's. Does not reject. */
  release(timeoutMs: number): Promise<void>;
}

/** @param lease as it is held */
export function keepLease(keeping: Keeping, lease: Lease): Keeper {
  const { leases, clock, log, claim } = keeping;
  const ending = new AbortController();
  const calls = new AbortController();
  const where = describeLease(lease.namespace);
  let held: Lease | null = lease;

  /** Renews once. @returns what to hold then; null when it is lost */
  const renew = async (before: Lease): Promise<Lease | null> => {
    const { signal } = calls;
    const renewed = await leases.replaceLease(renewedLease(before, clock.now()), signal);
    if (renewed !== null) {
      return renewed;
    }
    const found = await leases.readLease(before.namespace, LEASE_NAME, signal);
    const answer = decideToKeep(found, claim, before.transitions);
    if (answer.standing === 'lost') {
      keeping.stopRun((at) => lost(before.namespace, answer.to, at));
      if (found !== null) {
        keeping.taken(found);
      }
      log.error(`${where} was taken by another run`);
      return null;
    }
    if (answer.standing === 'free') {
      log.warn(`${where} was freed by somebody while this run holds it; it is taken again`);
      const wanted = takenLease(found, before.namespace, claim, clock.now());
      const again = await (found === null
        ? leases.createLease(wanted, signal)
        : leases.replaceLease(wanted, signal));
      return again ?? renew(before);
    }
    const { successor } = answer;
    if (successor !== null) {
      keeping.stopRun((at) => superseded(successor, at));
    }
    return renew(found ?? before);
  };

  const loop = async (): Promise<void> => {
    let failedSince: number | null = null;
    while (held !== null) {
      await clock.sleep(failedSince === null ? RENEW_MS : RETRY_MS, ending.signal).catch(() => {});
      if (ending.signal.aborted) {
        return;
      }
      try {
        held = await renew(held);
        if (failedSince !== null) {
          const seconds = Math.round((clock.monotonic() - failedSince) / 1000);
          log.info(`${where} is renewed again after ${seconds} s`);
          failedSince = null;
        }
      } catch (error) {
        if (failedSince === null && !calls.signal.aborted) {
          log.warn(`${where} cannot be renewed, which is tried again: ${messageOf(error)}`);
        }
        failedSince ??= clock.monotonic();
      }
    }
  };
  const looping = loop();

  return {
    release: async (timeoutMs) => {
      ending.abort(new Error('the run ends'));
      const late = setTimeout(() => calls.abort(new Error('the run ends')), IN_FLIGHT_MS);
      await looping;
      clearTimeout(late);
      if (held !== null) {
        await giveBack(keeping, held, AbortSignal.timeout(timeoutMs));
      }
    },
  };
}

/**
 * Gives the Lease back, when it is this run's. Does not reject: a pod that has ended holds nothing.
 * @param lease as it was read last
 */
export async function giveBack(
  { leases, clock, log, claim }: Pick<Keeping, 'leases' | 'clock' | 'log' | 'claim'>,
  lease: Lease,
  signal: AbortSignal,
): Promise<void> {
  try {
    let held: Lease | null = lease;
    for (let tries = 0; held?.holder === claim.holder && tries < MOST_TRIES; tries += 1) {
      if ((await leases.replaceLease(releasedLease(held, clock.now()), signal)) !== null) {
        log.info(`released ${describeLease(lease.namespace)}`);
        return;
      }
      held = await leases.readLease(lease.namespace, LEASE_NAME, signal);
    }
  } catch (error) {
    log.warn(
      `${describeLease(lease.namespace)} could not be released; the next run takes it once this pod has ended: ${messageOf(error)}`,
    );
  }
}
