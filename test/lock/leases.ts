import type { Claim } from '../../src/runner/lock/claim.ts';
import { takenLease } from '../../src/runner/lock/document.ts';
import type { Clock, Lease, Leases, PodState } from '../../src/runner/ports/index.ts';

export const NAMESPACE = 'locks';

/** A run's claim. @param job its name and the second of its making */
export const claim = (job: string, second: number, release = 'ns/aicr'): Claim => ({
  holder: `ns/${job}-pod/uid-of-${job}`,
  release,
  job: { name: job, createdAt: `2026-11-30T10:00:${String(second).padStart(2, '0')}Z` },
});

/** The Lease as a run holds it. */
export const heldBy = (holder: Claim, change: Partial<Lease> = {}): Lease => ({
  ...takenLease(null, NAMESPACE, holder, new Date('2026-11-30T11:00:00Z')),
  resourceVersion: '1',
  ...change,
});

/** A Lease in memory that refuses what was not read last, as the API server does. */
export class MemoryLeases implements Leases {
  lease: Lease | null = null;
  pod: PodState = 'alive';
  /** Thrown by every call, when set. */
  trouble: Error | null = null;
  #version = 1;

  /** Writes past the check. */
  place(lease: Lease | null): void {
    this.#version += 1;
    this.lease = lease === null ? null : { ...lease, resourceVersion: String(this.#version) };
  }

  async readLease(): Promise<Lease | null> {
    this.#check();
    return this.lease;
  }

  async createLease(lease: Lease): Promise<Lease | null> {
    this.#check();
    if (this.lease !== null) return null;
    this.place(lease);
    return this.lease;
  }

  async replaceLease(lease: Lease): Promise<Lease | null> {
    this.#check();
    if (this.lease?.resourceVersion !== lease.resourceVersion) return null;
    this.place(lease);
    return this.lease;
  }

  async podState(): Promise<PodState> {
    this.#check();
    return this.pod;
  }

  #check(): void {
    if (this.trouble !== null) throw this.trouble;
  }
}

/** A clock that moves only when somebody waits, and whose wall clock jumps as told. */
export class JumpingClock implements Clock {
  /** Monotonic milliseconds. */
  elapsed = 0;
  /** What the wall clock is off by, from now on, in milliseconds. */
  offset = 0;
  readonly #sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();

  now(): Date {
    return new Date(Date.parse('2026-11-30T11:00:00Z') + this.elapsed + this.offset);
  }

  monotonic(): number {
    return this.elapsed;
  }

  sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.#sleepers.delete(sleeper);
        reject(signal.reason);
      };
      const wake = (): void => {
        signal.removeEventListener('abort', stop);
        resolve();
      };
      const sleeper = { until: this.elapsed + milliseconds, wake };
      this.#sleepers.add(sleeper);
      signal.addEventListener('abort', stop);
    });
  }

  /** Lets time pass, and everybody do in it what they do. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.elapsed + milliseconds;
    for (;;) {
      await settled();
      const [next] = [...this.#sleepers].sort((a, b) => a.until - b.until);
      if (next === undefined || next.until > end) break;
      this.elapsed = Math.max(this.elapsed, next.until);
      this.#sleepers.delete(next);
      next.wake();
    }
    this.elapsed = end;
  }
}

/** Everything that can go on without time passing has gone on. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};
