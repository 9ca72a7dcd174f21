/** Kubernetes objects, as far as the command looks into them. */

interface Metadata {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  /** RFC 3339. */
  readonly creationTimestamp: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly deletionTimestamp?: string;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface Job {
  readonly metadata: Metadata;
  readonly spec: {
    readonly suspend?: boolean;
    readonly template: {
      readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
      readonly spec: {
        readonly volumes?: readonly {
          readonly name: string;
          readonly configMap?: { readonly name: string };
        }[];
      };
    };
  };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export interface ContainerStatus {
  readonly name: string;
  readonly image?: string;
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly running?: object;
    readonly terminated?: { readonly exitCode: number; readonly reason?: string; readonly message?: string };
  };
}

export interface Pod {
  readonly metadata: Metadata;
  readonly spec?: { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly conditions?: readonly Condition[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
}

export interface KubeEvent {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly metadata: Metadata;
  readonly involvedObject: { readonly kind: string; readonly name: string; readonly uid?: string };
}

export interface ConfigMap {
  readonly metadata: Metadata;
  readonly data?: Readonly<Record<string, string>>;
}

/** The condition of a type, when it holds. */
export const holds = (conditions: readonly Condition[] | undefined, type: string): Condition | undefined =>
  conditions?.find((condition) => condition.type === type && condition.status === 'True');
