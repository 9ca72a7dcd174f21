import { RunError } from '../../contract/index.ts';
import type { StepContext } from '../context.ts';

const FIRST_DELAY_MS = 2_000;
const LONGEST_DELAY_MS = 60_000;
const TRIES = 7;
/** A server may ask for a longer pause than ours; more than this is not waited before another try. */
const LONGEST_PAUSE_MS = 3_600_000;

/** A transient failure for which the server said how long to wait. */
export class RetryAfterError extends RunError {
  /** Milliseconds. */
  readonly pause: number;

  constructor(error: RunError, pause: number) {
    super(error.code, error.message, {
      hint: error.hint,
      cause: error.cause,
      transient: true,
      tail: error.tail,
    });
    this.pause = pause;
  }
}

/**
 * Tries until it works, at most seven times, as long as the failure is a transient RunError. Between the tries it
 * waits 2, 4, 8 … 60 s, or longer where the server asks for it. The run's deadline ends the waiting.
 * @param attempt one try
 * @returns what the first try that works returns
 * @throws the last failure, with the number of tries in its message; any other failure at once
 */
export async function retry<T>(context: StepContext, attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (context.signal.aborted || !(error instanceof RunError) || !error.transient) throw error;
      if (tries === TRIES) throw exhausted(error);
      const pause = pauseAfter(error, tries);
      context.log.warn(`${error.message}; trying again in ${Math.ceil(pause / 1000)} s`);
      context.status.retrying(error.message);
      await context.clock.sleep(pause, context.signal);
    }
  }
}

function pauseAfter(error: RunError, tries: number): number {
  const backoff = Math.min(FIRST_DELAY_MS * 2 ** (tries - 1), LONGEST_DELAY_MS);
  const asked = error instanceof RetryAfterError ? error.pause : 0;
  return Math.min(Math.max(backoff, asked), LONGEST_PAUSE_MS);
}

const exhausted = (error: RunError): RunError =>
  new RunError(error.code, `${error.message} (tried ${TRIES} times)`, {
    hint: error.hint,
    cause: error.cause,
    tail: error.tail,
  });
