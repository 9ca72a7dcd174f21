import { RELEASE_LABEL, RunError } from '../../src/contract/index.ts';
import type {
  Cluster,
  ConfigMapContent,
  ObjectMetadata,
  StoredConfigMap,
  StoredSecret,
} from '../../src/runner/ports/index.ts';

/** A ConfigMap as this cluster keeps it. */
interface Kept {
  data: Record<string, string>;
  binaryData: Record<string, Uint8Array>;
  labels: Readonly<Record<string, string>>;
  /** Keys that each manager stated last. */
  owned: Map<string, readonly string[]>;
}

/**
 * A cluster's ConfigMaps in memory, where a step is tested without an API server. Keys belong to the manager that
 * applied them last; what a manager leaves out is gone, as with server-side apply.
 */
export class MemoryCluster implements Cluster {
  readonly applied: ConfigMapContent[] = [];
  /** Release that the ConfigMaps are labelled with. */
  release = 'gpu';
  rights: readonly string[] = [];
  /** Thrown by every call, when set. */
  trouble: RunError | null = null;
  readonly #configMaps = new Map<string, Kept>();

  /** A ConfigMap that was there before, written by a run of a release, or by something else. */
  place(name: string, release: string | null, data: Record<string, string>): void {
    const labels = release === null ? {} : { [RELEASE_LABEL]: release };
    this.#configMaps.set(name, { data, binaryData: {}, labels, owned: new Map() });
  }

  /** The texts of a ConfigMap; none when it is not there. */
  texts(name: string): Readonly<Record<string, string>> {
    return this.#configMaps.get(name)?.data ?? {};
  }

  /** Names of the keys of a ConfigMap, text and binary. */
  keys(name: string): string[] {
    const { data = {}, binaryData = {} } = this.#configMaps.get(name) ?? {};
    return [...Object.keys(data), ...Object.keys(binaryData)].sort();
  }

  async applyConfigMap(content: ConfigMapContent, manager: string): Promise<void> {
    this.#check();
    this.applied.push(content);
    const { name, data = {}, binaryData = {}, labels = {} } = content;
    const before = this.#configMaps.get(name);
    const mine = before?.owned.get(manager) ?? [];
    const kept = <Value>(values: Readonly<Record<string, Value>> = {}): [string, Value][] =>
      Object.entries(values).filter(([key]) => !mine.includes(key));
    this.#configMaps.set(name, {
      data: { ...Object.fromEntries(kept(before?.data)), ...data },
      binaryData: { ...Object.fromEntries(kept(before?.binaryData)), ...binaryData },
      labels: { ...labels, [RELEASE_LABEL]: this.release },
      owned: new Map([
        ...(before?.owned ?? []),
        [manager, [...Object.keys(data), ...Object.keys(binaryData)]],
      ]),
    });
  }

  async readConfigMap(name: string): Promise<StoredConfigMap | null> {
    this.#check();
    const found = this.#configMaps.get(name);
    if (found === undefined) return null;
    const { data, binaryData, labels } = found;
    return { uid: `uid of ${name}`, labels, data, binaryKeys: Object.keys(binaryData) };
  }

  async stopping(): Promise<boolean> {
    return false;
  }

  async eviction(): Promise<null> {
    return null;
  }

  async deleteConfigMap(name: string): Promise<void> {
    this.#check();
    this.#configMaps.delete(name);
  }

  async version(): Promise<string> {
    this.#check();
    return 'v1.36.3';
  }

  async missingRights(): Promise<readonly string[]> {
    this.#check();
    return this.rights;
  }

  async event(): Promise<void> {}

  /** No Helm release and no leftover is in this cluster. */
  async listSecrets(): Promise<readonly ObjectMetadata[]> {
    this.#check();
    return [];
  }

  async readSecret(): Promise<StoredSecret | null> {
    this.#check();
    return null;
  }

  async changeSecret(): Promise<boolean> {
    this.#check();
    return false;
  }

  async listLeftovers(): Promise<readonly ObjectMetadata[]> {
    this.#check();
    return [];
  }

  async readTexts(_: string, name: string): Promise<Readonly<Record<string, string>>> {
    this.#check();
    return this.texts(name);
  }

  async mergeTexts(_: string, name: string, texts: Readonly<Record<string, string | null>>): Promise<void> {
    this.#check();
    const kept = Object.entries({ ...this.texts(name), ...texts }).filter(([, text]) => text !== null);
    this.place(name, null, Object.fromEntries(kept) as Record<string, string>);
  }

  job(): Promise<never> {
    throw new Error('a step does not read the Job');
  }

  releaseJobs(): Promise<never> {
    throw new Error('a step does not list Jobs');
  }

  deleteJob(): Promise<never> {
    throw new Error('a step does not delete Jobs');
  }

  readLease(): Promise<never> {
    throw new Error('a step does not read the Lease');
  }

  createLease(): Promise<never> {
    throw new Error('a step does not make the Lease');
  }

  replaceLease(): Promise<never> {
    throw new Error('a step does not write the Lease');
  }

  podState(): Promise<never> {
    throw new Error('a step does not look at other pods');
  }

  #check(): void {
    if (this.trouble !== null) throw this.trouble;
  }
}

/** What the cluster port rejects with when nothing answers. */
export const unreachable = new RunError('ClusterUnreachable', 'the API server does not answer: refused', {
  hint: 'Look at the API server.',
  transient: true,
});
