import type {
  LeftoverKind,
  ObjectMetadata,
  SecretChange,
  StoredSecret,
} from '../../src/runner/ports/index.ts';
import { type HelmRecord, readRecord, writeRecord } from '../../src/runner/steps/releases/record.ts';
import { MemoryCluster } from '../steps/memory-cluster.ts';

interface Secret extends ObjectMetadata, StoredSecret {
  readonly type: string;
}

/** A cluster in memory that has Helm releases, and what an interrupted aicr left behind. */
export class HelmCluster extends MemoryCluster {
  readonly left: Record<LeftoverKind, ObjectMetadata[]> = { Job: [], ClusterRoleBinding: [] };
  readonly #secrets = new Map<string, Secret>();

  /** Adds a revision of a release. @param info what the record says beside its times, which are 10:00:05 and 11:00:00 */
  install(
    name: string,
    revision: number,
    info: Readonly<Record<string, string>> = {},
    namespace?: string,
  ): void {
    const times = { first_deployed: '2026-11-30T10:00:05Z', last_deployed: '2026-11-30T11:00:00Z' };
    this.store(
      name,
      revision,
      writeRecord({ name, info: { status: 'deployed', ...times, ...info } }),
      namespace,
    );
  }

  /** Adds a Secret with Helm's labels. @param data its content, in base64 */
  store(name: string, revision: number, data: string, namespace = `${name}-ns`): void {
    this.#secrets.set(`sh.helm.release.v1.${name}.v${revision}`, {
      type: 'helm.sh/release.v1',
      name: `sh.helm.release.v1.${name}.v${revision}`,
      namespace,
      labels: { owner: 'helm', name, version: String(revision) },
      resourceVersion: '1',
      data: { release: data },
    });
  }

  /** A revision's labels and record; undefined when it is not there. */
  revision(name: string, revision: number): { labels: object; record: HelmRecord | null } | undefined {
    const secret = this.#secrets.get(`sh.helm.release.v1.${name}.v${revision}`);
    if (secret === undefined) return undefined;
    return { labels: secret.labels, record: readRecord(secret.data['release']) };
  }

  override async listSecrets(namespace = '', type = '', selector = ''): Promise<readonly ObjectMetadata[]> {
    await super.listSecrets();
    const wanted = selector.split(',').map((term) => term.split('='));
    return [...this.#secrets.values()].filter(
      (secret) =>
        secret.namespace === namespace &&
        secret.type === type &&
        wanted.every(([label = '', value]) => secret.labels[label] === value),
    );
  }

  override async readSecret(namespace = '', name = ''): Promise<StoredSecret | null> {
    await super.readSecret();
    const secret = this.#secrets.get(name);
    return secret?.namespace === namespace ? secret : null;
  }

  override async changeSecret(namespace = '', name = '', change?: SecretChange): Promise<boolean> {
    await super.changeSecret();
    const secret = this.#secrets.get(name);
    if (secret?.namespace !== namespace || secret.resourceVersion !== change?.resourceVersion) return false;
    this.#secrets.set(name, {
      ...secret,
      resourceVersion: `${secret.resourceVersion}+1`,
      labels: { ...secret.labels, ...change.labels },
      data: { ...secret.data, ...change.data },
    });
    return true;
  }

  override async listLeftovers(kind?: LeftoverKind): Promise<readonly ObjectMetadata[]> {
    await super.listLeftovers();
    return kind === undefined ? [] : this.left[kind];
  }
}
