import type { Lease } from '../ports/index.ts';

/**
 * A longer time between two reads does not count: whatever held up this run may have held up the holder, too.
 */
const LONGEST_GAP_MS = 30_000;

/**
 * What a waiting run has seen of a Lease. Clocks are not compared: what counts is for how long the sign of life has
 * not changed, on this run's own monotonic clock, and only from one successful read to the next, because while nobody
 * can read nobody can renew either.
 */
export interface Watch {
  /** Holder and sign of life; empty before the first read. */
  readonly seen: string;
  /** When the last read succeeded, in monotonic milliseconds; null when the last one failed. */
  readonly readAt: number | null;
  /** For how long the sign of life has not changed. */
  readonly unchangedMs: number;
}

export const newWatch: Watch = { seen: '', readAt: null, unchangedMs: 0 };

/** After a read that succeeded. @param at monotonic milliseconds */
export function afterRead(watch: Watch, lease: Lease, at: number): Watch {
  const seen = `${lease.holder} ${lease.renewTime}`;
  if (seen !== watch.seen) {
    return { seen, readAt: at, unchangedMs: 0 };
  }
  const gap = watch.readAt === null ? 0 : at - watch.readAt;
  return { seen, readAt: at, unchangedMs: watch.unchangedMs + (gap > LONGEST_GAP_MS ? 0 : gap) };
}

/** After a read that failed. */
export const afterFailure = (watch: Watch): Watch => ({ ...watch, readAt: null });
