/** The parts of API objects that are read, as they come over the wire (times as RFC 3339 texts). */

export interface Metadata {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
}

export interface Job {
  readonly metadata: Metadata;
  readonly spec: {
    readonly activeDeadlineSeconds?: number;
    readonly template: {
      readonly metadata?: Metadata;
      readonly spec?: { readonly terminationGracePeriodSeconds?: number };
    };
  };
  readonly status?: { readonly startTime?: string; readonly failed?: number };
}

export interface Pod {
  readonly metadata: Metadata;
  readonly status?: { readonly phase?: string };
}

export interface ConfigMap {
  readonly metadata: Metadata;
  readonly data?: Readonly<Record<string, string>>;
  readonly binaryData?: Readonly<Record<string, string>>;
}

export interface LeaseObject {
  readonly metadata: Metadata;
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

export interface Secret {
  readonly metadata: Metadata;
  /** In base64. */
  readonly data?: Readonly<Record<string, string>>;
}

/** An Event of the core API, as the kubelet writes them. */
export interface CoreEvent {
  readonly message?: string;
}

export interface List<Item> {
  readonly items: readonly Item[];
}

export interface AccessReview {
  readonly status?: { readonly allowed?: boolean };
}

export interface VersionInfo {
  readonly gitVersion: string;
}
