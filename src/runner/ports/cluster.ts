import type { Leases } from './lease.ts';
import type { Records } from './records.ts';

/** Who this run is in the cluster. */
export interface RunIdentity {
  readonly release: string;
  readonly namespace: string;
  readonly job: string;
  readonly pod: string;
  readonly podUid: string;
}

/** What the runner knows of its own Job. */
export interface JobFacts {
  readonly uid: string;
  /** RFC 3339, in whole seconds. */
  readonly createdAt: string;
  /** Labels of the Job itself, not of its pods. */
  readonly labels: Readonly<Record<string, string>>;
  /** RFC 3339; the Job controller sets it when the first pod may start. */
  readonly startTime: string | null;
  readonly activeDeadlineSeconds: number | null;
  /** terminationGracePeriodSeconds of its pods: seconds between SIGTERM and SIGKILL. */
  readonly graceSeconds: number;
  /** Pods of this Job that ended, or were told to end, before this one. */
  readonly endedPods: number;
  /** Those of them that the Job controller counts as failed; a pod that was only disrupted is not counted. */
  readonly failedPods: number;
}

/** One of a release's Jobs, by which the newest run is told. */
export interface ReleaseJob {
  readonly name: string;
  /** Tells this Job from another one of the same name. */
  readonly uid: string;
  /** RFC 3339, in whole seconds. */
  readonly createdAt: string;
  /** It is being deleted. */
  readonly deleting: boolean;
  /** A Helm release made it, and nobody has told Helm to keep it (`helm.sh/resource-policy`). */
  readonly ofHelm: boolean;
}

export interface ConfigMapContent {
  readonly name: string;
  readonly namespace: string;
  /** Key of text values. */
  readonly data?: Readonly<Record<string, string>>;
  readonly binaryData?: Readonly<Record<string, Uint8Array>>;
  /** Beside the two that every ConfigMap of a run has. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** A ConfigMap as it is found. */
export interface StoredConfigMap {
  /** Tells this object from another one of the same name. */
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly data: Readonly<Record<string, string>>;
  /** Keys of binaryData. */
  readonly binaryKeys: readonly string[];
}

export interface RunEvent {
  readonly type: 'Normal' | 'Warning';
  /** CamelCase word, as Kubernetes wants it. */
  readonly reason: string;
  /** At most 1024 bytes; longer ones are cut. */
  readonly message: string;
}

/** The API server of the cluster the runner runs in. Every call has a timeout and honours the signal it was made with. */
export interface Cluster extends Leases, Records {
  /** Reads the run's own Job. Rejects with RunError `ClusterUnreachable` or `RightsMissing`. */
  job(signal: AbortSignal): Promise<JobFacts>;
  /**
   * Lists the Jobs of the release this run belongs to: those whose pods carry the release's label and whose names
   * differ from this run's in the hash alone. Rejects as `job` does.
   * @param job what `job` gave
   */
  releaseJobs(job: JobFacts, signal: AbortSignal): Promise<readonly ReleaseJob[]>;
  /**
   * Deletes a Job of the release's namespace, and with it its pods. One that is gone, or that is another one by now,
   * is no error and left alone. Rejects as `job` does.
   * @param job one that `releaseJobs` gave
   */
  deleteJob(job: ReleaseJob, signal: AbortSignal): Promise<void>;
  /** Kubernetes version as the API server gives it (`v1.36.3`). Rejects with RunError `ClusterUnreachable`. */
  version(signal: AbortSignal): Promise<string>;
  /**
   * Asks whether the installer may do anything to everything (SelfSubjectAccessReview on verb, group and resource *),
   * and, when not, which of the things a bundle always needs it may not do.
   * @returns what is missing, in words (`create customresourcedefinitions.apiextensions.k8s.io`); empty when nothing is
   */
  missingRights(signal: AbortSignal): Promise<readonly string[]>;
  /**
   * Writes a ConfigMap by server-side apply, taking over the keys it states, and labels it as written by a run.
   * With neither data nor binaryData the manager gives up all it stated, labels as well.
   * @param manager field manager; keys that the same manager wrote before and that are left out now are removed
   */
  applyConfigMap(content: ConfigMapContent, manager: string, signal: AbortSignal): Promise<void>;
  /** Reads a ConfigMap of the release's namespace; null when there is none. */
  readConfigMap(name: string, signal: AbortSignal): Promise<StoredConfigMap | null>;
  /**
   * Deletes a ConfigMap of the release's namespace. One that is gone, or that is another one by now, is no error and
   * left alone.
   * @param uid what `readConfigMap` gave
   */
  deleteConfigMap(name: string, uid: string, signal: AbortSignal): Promise<void>;
  /**
   * Reads why the kubelet evicts the run's own pod: its Event's message, such as `The node was low on resource: …`.
   * Null when it does not. Rejects as `job` does.
   */
  eviction(signal: AbortSignal): Promise<string | null>;
  /** Tells whether the run's own pod has been told to stop. Rejects as `job` does. */
  stopping(signal: AbortSignal): Promise<boolean>;
  /** Records an Event on the run's Job. Never rejects: an Event that cannot be written is logged. */
  event(event: RunEvent): Promise<void>;
}
