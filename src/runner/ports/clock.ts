export interface Clock {
  /** Wall clock, for what is written down. */
  now(): Date;
  /** Monotonic milliseconds, for everything that is waited for or measured. */
  monotonic(): number;
  /** Waits; rejects with the abort reason when the signal aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}
