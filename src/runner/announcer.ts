import type { Clock, Cluster, RunEvent } from './ports/index.ts';

/** Writes Events without holding up the run. */
export interface Announcer {
  announce(event: RunEvent): void;
  /** Waits for those under way, at most so many milliseconds. */
  settle(timeoutMs: number): Promise<void>;
}

/** @param mask hides secrets */
export function createAnnouncer(cluster: Cluster, clock: Clock, mask: (text: string) => string): Announcer {
  // One after the other, so that they stand in the order in which things happened.
  let last: Promise<void> = Promise.resolve();
  return {
    announce: (event) => {
      const shown = { ...event, message: mask(event.message) };
      last = last.then(() => cluster.event(shown));
    },
    settle: async (timeoutMs) => {
      const done = new AbortController();
      await Promise.race([last, clock.sleep(timeoutMs, done.signal).catch(() => {})]);
      done.abort();
    },
  };
}
