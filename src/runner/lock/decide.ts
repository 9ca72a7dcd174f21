import { isNewer, type JobAge } from '../job-order.ts';
import type { Lease, PodState } from '../ports/index.ts';
import { areDated, areSiblings, type Claim } from './claim.ts';
import { claimIn, DURATION_SECONDS, successorIn } from './document.ts';

/** What a run that wants the Lease does next. */
export type Move =
  /** It is free. */
  | { readonly move: 'take'; readonly because: string }
  /** It is this run's already: the answer to an earlier write was lost. */
  | { readonly move: 'hold' }
  /** An older run of the same release has it, and shall be told. */
  | { readonly move: 'supersede' }
  /** A newer run of the same release has it, or waits for it. */
  | { readonly move: 'yield'; readonly to: JobAge }
  | { readonly move: 'wait' };

/**
 * Decides for a run that wants the Lease.
 * @param lease as just read; null: there is none
 * @param me who asks
 * @param pod what is known of the holder's pod
 * @param unchangedMs for how long the holder has given no sign of life
 */
export function decideToTake(lease: Lease | null, me: Claim, pod: PodState, unchangedMs: number): Move {
  if (lease === null) {
    return { move: 'take', because: 'there was none yet' };
  }
  if (lease.holder === '') {
    return { move: 'take', because: 'nobody holds it' };
  }
  if (lease.holder === me.holder) {
    return { move: 'hold' };
  }
  const dead = deathOf(pod, unchangedMs, lease);
  if (dead !== null) {
    return { move: 'take', because: `${lease.holder}, which held it, ${dead}` };
  }
  const holder = claimIn(lease);
  if (!areSiblings(holder, me) || !areDated(holder.job, me.job)) {
    return { move: 'wait' };
  }
  const successor = successorIn(lease);
  const newest = successor !== null && isNewer(successor, holder.job) ? successor : holder.job;
  if (isNewer(newest, me.job)) {
    return { move: 'yield', to: newest };
  }
  // Of the same Job is also the pod that this one replaces: it is on its way out.
  return newest.name === me.job.name ? { move: 'wait' } : { move: 'supersede' };
}

/** Why a holder counts as gone, in words; null while it does not. */
function deathOf(pod: PodState, unchangedMs: number, { durationSeconds }: Lease): string | null {
  if (pod === 'gone' || pod === 'finished') {
    return pod === 'gone' ? 'is gone' : 'has finished';
  }
  const limit = Math.max(durationSeconds, DURATION_SECONDS);
  return unchangedMs >= limit * 1000 ? `has given no sign of life for ${limit} s` : null;
}

/** What a run that held the Lease finds when it is not as it left it. */
export type Standing =
  | { readonly standing: 'held'; readonly successor: JobAge | null }
  /** Somebody deleted or emptied it, and nobody has taken it. */
  | { readonly standing: 'free' }
  /** Another run has it, or (null) had it and has ended since. */
  | { readonly standing: 'lost'; readonly to: Claim | null };

/**
 * Decides for a run that holds the Lease.
 * @param lease as just read; null: there is none
 * @param transitions of the Lease as this run held it
 */
export function decideToKeep(lease: Lease | null, me: Claim, transitions: number): Standing {
  if (lease === null) {
    return { standing: 'free' };
  }
  if (lease.holder === '') {
    return lease.transitions === transitions ? { standing: 'free' } : { standing: 'lost', to: null };
  }
  if (lease.holder !== me.holder) {
    return { standing: 'lost', to: claimIn(lease) };
  }
  const successor = successorIn(lease);
  const counts = successor !== null && areDated(successor, me.job) && isNewer(successor, me.job);
  return { standing: 'held', successor: counts ? successor : null };
}
