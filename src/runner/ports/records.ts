/** An object's metadata, without what it holds. */
export interface ObjectMetadata {
  readonly name: string;
  /** Empty for objects of the whole cluster. */
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** A Secret as it is found. */
export interface StoredSecret {
  readonly resourceVersion: string;
  /** In base64, as the API gives them. */
  readonly data: Readonly<Record<string, string>>;
}

/** What is changed of a Secret; everything else stays as it is. */
export interface SecretChange {
  /** What `readSecret` gave: the change is for that state and no other. */
  readonly resourceVersion: string;
  readonly labels: Readonly<Record<string, string>>;
  /** In base64. */
  readonly data: Readonly<Record<string, string>>;
}

/** Kinds that are listed for what an aicr left behind. */
export type LeftoverKind = 'Job' | 'ClusterRoleBinding';

/**
 * What Helm, aicr and earlier runs keep in the cluster, in any namespace. Every call rejects with RunError
 * `ClusterUnreachable` (transient) or `RightsMissing`.
 */
export interface Records {
  /**
   * Lists Secrets of one type without their content: Helm's own are up to 1 MiB each.
   * @param type of the Secrets, `helm.sh/release.v1`
   * @param selector of labels
   */
  listSecrets(
    namespace: string,
    type: string,
    selector: string,
    signal: AbortSignal,
  ): Promise<readonly ObjectMetadata[]>;
  /** Null when there is none. */
  readSecret(namespace: string, name: string, signal: AbortSignal): Promise<StoredSecret | null>;
  /** @returns false when the Secret is another one by now, or gone; nothing is changed then */
  changeSecret(namespace: string, name: string, change: SecretChange, signal: AbortSignal): Promise<boolean>;
  /** The texts of a ConfigMap of any namespace; none when it is not there. */
  readTexts(namespace: string, name: string, signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
  /**
   * Changes some keys of a ConfigMap of any namespace, which is made when it is not there; the other keys stay,
   * whoever wrote them.
   * @param texts null removes a key
   */
  mergeTexts(
    namespace: string,
    name: string,
    texts: Readonly<Record<string, string | null>>,
    signal: AbortSignal,
  ): Promise<void>;
  /** Lists objects of the whole cluster. @param selector of labels */
  listLeftovers(
    kind: LeftoverKind,
    selector: string,
    signal: AbortSignal,
  ): Promise<readonly ObjectMetadata[]>;
}
