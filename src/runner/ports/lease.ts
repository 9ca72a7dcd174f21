/** A Lease of coordination.k8s.io/v1, as far as it is looked at, with what must come back unchanged in an update. */
export interface Lease {
  readonly name: string;
  readonly namespace: string;
  /** Of the state that was read; an update of another state is refused. Empty for a Lease that is to be made. */
  readonly resourceVersion: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Empty: nobody holds it. */
  readonly holder: string;
  readonly durationSeconds: number;
  /** RFC 3339 with six digits behind the second; empty when not stated. */
  readonly acquireTime: string;
  readonly renewTime: string;
  /** How often it went from one holder to another. */
  readonly transitions: number;
}

/** What is known of a pod: that it may run, that it has ended, that there is none of this uid; or nothing. */
export type PodState = 'alive' | 'finished' | 'gone' | 'unknown';

/** Leases, and the pods that hold them. */
export interface Leases {
  /** Null when there is none. Rejects with RunError `ClusterUnreachable` or `RightsMissing`. */
  readLease(namespace: string, name: string, signal: AbortSignal): Promise<Lease | null>;
  /**
   * Makes a Lease.
   * @returns as it is kept; null when somebody else was quicker
   * @throws RunError `RunSpecInvalid` when there is no such namespace; or rejects as `readLease` does
   */
  createLease(lease: Lease, signal: AbortSignal): Promise<Lease | null>;
  /**
   * Writes a Lease, provided that it still is as it was read.
   * @returns as it is kept; null when it has changed since, or is gone. Rejects as `readLease` does.
   */
  replaceLease(lease: Lease, signal: AbortSignal): Promise<Lease | null>;
  /** What became of a pod; `unknown` when it may not be read. Rejects with RunError `ClusterUnreachable`. */
  podState(
    pod: { readonly namespace: string; readonly name: string; readonly uid: string },
    signal: AbortSignal,
  ): Promise<PodState>;
}
