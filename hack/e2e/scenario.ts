import { randomBytes } from 'node:crypto';
import { test as base, inject } from 'vitest';
import { type Cluster, dockerConfig, openCluster } from '../cluster/index.ts';
import { type Checks, type PackName, type Release, slowVolume } from '../standin/index.ts';
import { Namespace } from './namespace.ts';
import { type PushedPack, pushScenarioPack } from './pack.ts';
import { ChartRelease, type Generation } from './release.ts';

/** Name of the Secret that opens the private registry. */
export const PACK_SECRET = 'aicr-pack-pull';

/** Values with which deploy.sh waits for the slow component of `acme-slow` instead of going on. */
export const WAITING = { deployFlags: '', deployArgs: ['--retries', '0'] };

/** One scenario's part of the shared cluster: names that nobody else uses. */
export class Scenario {
  readonly cluster: Cluster;
  /** The release on the mirror. */
  readonly aicr: Release;
  readonly chart: string;
  /** Begins every name that belongs to the scenario, its data packs' components included. */
  readonly word = `acme${randomBytes(3).toString('hex')}`;
  /** Where the chart is installed. */
  readonly namespace: Namespace;
  readonly #releases: ChartRelease[] = [];

  constructor() {
    const { clusterFolder, chart, aicr } = inject('prepared');
    this.cluster = openCluster(clusterFolder);
    this.chart = chart;
    this.aicr = aicr;
    this.namespace = new Namespace(this.cluster, this.word);
  }

  /** Makes its namespace. */
  async open(): Promise<void> {
    await this.namespace.create();
  }

  /** Stops what still runs and removes what would be in the way of later scenarios on this cluster. */
  async close(): Promise<void> {
    for (const release of this.#releases) {
      await release.uninstall().catch(() => undefined);
      // Without a Helm release there is nobody who removes it.
      for (const name of await release.bindings()) {
        await this.namespace.kubectl(['delete', 'clusterrolebinding', name]);
      }
    }
    const { stdout } = await this.cluster.run(['kubectl', 'get', 'namespaces', '--output', 'name']);
    const own = stdout.split('\n').filter((name) => name.startsWith(`namespace/${this.word}`));
    const volume = `persistentvolume/${this.word}-slow`;
    await this.cluster.run(['kubectl', 'delete', '--wait=false', '--ignore-not-found', volume, ...own]);
  }

  /**
   * A release of the chart, not yet installed.
   * @param helm which Helm installs it, and which one deploy.sh finds
   * @param namespace the scenario's when left out
   */
  release({
    helm = 4,
    name = 'aicr',
    namespace = this.namespace,
  }: {
    helm?: Generation;
    name?: string;
    namespace?: Namespace;
  } = {}): ChartRelease {
    const { node, oras, runtime, runtimeHelm3 } = this.cluster.images;
    const values = {
      nodeImage: node,
      orasImage: oras,
      runtimeImage: helm === 3 ? runtimeHelm3 : runtime,
      aicrVersion: this.aicr.version,
      aicrSource: { baseUrl: this.cluster.mirrorUrl },
      // Scenarios share the cluster, and are not to wait for each other.
      lock: { namespace: this.namespace.name },
    };
    const release = new ChartRelease({ name, namespace, helm, chart: this.chart, values });
    this.#releases.push(release);
    return release;
  }

  /**
   * Pushes this scenario's copy of a data pack.
   * @param checks validators that it has on top
   * @returns the pack, and the values that ask for it
   */
  async pack(
    name: PackName,
    checks?: Checks,
  ): Promise<{ pack: PushedPack; values: Readonly<Record<string, unknown>> }> {
    const pack = await pushScenarioPack(this.cluster, this.aicr, name, this.word, checks);
    const { ref, criteria } = pack;
    const values = { ...criteria, dataPack: ref, dataPackSecret: PACK_SECRET, dataPackPlainHTTP: true };
    return { pack, values };
  }

  /**
   * Makes the Secret that opens the private registry.
   * @param content of its docker config; the right one when left out
   * @param namespace the scenario's when left out
   */
  async packSecret(
    content = dockerConfig(this.cluster.registry),
    type?: 'Opaque',
    namespace = this.namespace,
  ): Promise<void> {
    await namespace.registrySecret(PACK_SECRET, content, type);
  }

  /** Ends the wait of the data pack `acme-slow`. */
  async releaseSlowComponent(): Promise<void> {
    await this.namespace.apply(
      JSON.parse(JSON.stringify(slowVolume()).replaceAll('acme', this.word)) as object,
    );
  }

  /** A namespace of one of its data pack's components. @param component without the scenario's word: `probe` */
  component(component: string): Namespace {
    return new Namespace(this.cluster, `${this.word}-${component}`);
  }
}

/** A test with a scenario of its own, which is cleaned up after it. */
export const test = base.extend<{ scenario: Scenario }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixtures it needs from the pattern
  scenario: async ({}, use) => {
    const scenario = new Scenario();
    await scenario.open();
    await use(scenario);
    await scenario.close();
  },
});
