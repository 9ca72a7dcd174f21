import { setTimeout as delay } from 'node:timers/promises';

const PAUSE_MS = 500;

/**
 * Looks again and again until there is something to see. How long that takes is the machine's business and no
 * assertion: the limit only keeps a suite from hanging.
 * @param what it waits for, for the error
 * @param look undefined: not yet
 * @param minutes longest wait
 * @throws Error when the time is over
 */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined>,
  minutes = 4,
): Promise<T> {
  const deadline = Date.now() + minutes * 60_000;
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (Date.now() > deadline) throw new Error(`${what}: did not come within ${minutes} minutes`);
    await delay(PAUSE_MS);
  }
}
