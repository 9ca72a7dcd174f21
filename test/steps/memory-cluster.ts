import { RELEASE_LABEL, RunError } from '../../src/contract/index.ts';
import type { Cluster, ConfigMapContent } from '../../src/runner/ports/index.ts';

/**
 * A cluster's ConfigMaps in memory, where a step is tested without an API server. Keys belong to the manager that
 * applied them last; what a manager leaves out is gone, as with server-side apply.
 */
export class MemoryCluster implements Cluster {
  readonly configMaps = new Map<string, Record<string, string>>();
  readonly applied: ConfigMapContent[] = [];
  /** Release that the ConfigMaps are labelled with. */
  release = 'gpu';
  rights: readonly string[] = [];
  /** Thrown by every call, when set. */
  trouble: RunError | null = null;
  readonly #labels = new Map<string, string>();
  readonly #owned = new Map<string, readonly string[]>();

  /** A ConfigMap that was there before, written by a run of a release, or by something else. */
  place(name: string, release: string | null, data: Record<string, string>): void {
    this.configMaps.set(name, data);
    if (release !== null) this.#labels.set(name, release);
  }

  async applyConfigMap(content: ConfigMapContent, manager: string): Promise<void> {
    this.#check();
    this.applied.push(content);
    const { name, data = {} } = content;
    const mine = this.#owned.get(`${name}/${manager}`) ?? [];
    const kept = Object.entries(this.configMaps.get(name) ?? {}).filter(([key]) => !mine.includes(key));
    this.configMaps.set(name, { ...Object.fromEntries(kept), ...data });
    this.#owned.set(`${name}/${manager}`, Object.keys(data));
    this.#labels.set(name, this.release);
  }

  async readConfigMap(name: string) {
    this.#check();
    const data = this.configMaps.get(name);
    const release = this.#labels.get(name);
    const labels = release === undefined ? {} : { [RELEASE_LABEL]: release };
    return data === undefined ? null : { labels, data };
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

  job(): Promise<never> {
    throw new Error('a step does not read the Job');
  }

  releaseJobs(): Promise<never> {
    throw new Error('a step does not list Jobs');
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
