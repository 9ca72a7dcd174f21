import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from './clock.ts';

/** The machine's own clock. */
export function createClock(): Clock {
  return {
    now: () => new Date(),
    monotonic: () => performance.now(),
    sleep: async (milliseconds, signal) => {
      signal.throwIfAborted();
      try {
        await wait(milliseconds, undefined, { signal });
      } catch (error) {
        // Node's timer rejects with an AbortError of its own; callers want the reason.
        signal.throwIfAborted();
        throw error;
      }
    },
  };
}
