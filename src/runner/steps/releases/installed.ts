import { RunError } from '../../../contract/index.ts';
import type { StepContext } from '../../context.ts';
import { retry } from '../retry.ts';
import type { BundledRelease } from './bundle.ts';
import { failedRecord, readRecord, writeRecord } from './record.ts';

/** Type of the Secrets in which Helm 3 and 4 keep their releases, and the key that holds one. */
const TYPE = 'helm.sh/release.v1';
const KEY = 'release';

/** The newest revision of a Helm release that is in the cluster. */
export interface InstalledRelease {
  readonly name: string;
  readonly namespace: string;
  readonly revision: number;
  /** The Secret that holds it. */
  readonly secret: string;
  readonly resourceVersion: string;
  readonly status: string;
  /** Milliseconds since 1970. */
  readonly firstDeployed: number;
  readonly lastDeployed: number;
}

/** A release of the bundle with what the cluster has under its name. */
export interface FoundRelease {
  readonly bundled: BundledRelease;
  /** Null when there is none. */
  readonly installed: InstalledRelease | null;
}

/**
 * Looks a release up. Its revisions are listed without their content, and only the newest one's is read.
 * @returns null when there is none; one that was uninstalled and whose history is kept counts as none
 * @throws RunError `ClusterUnreachable`, `RightsMissing`, or `ForeignRelease` for what Helm did not write
 */
export async function findInstalled(
  { name, namespace }: Pick<BundledRelease, 'name' | 'namespace'>,
  context: StepContext,
): Promise<InstalledRelease | null> {
  const { cluster, signal } = context;
  const selector = `owner=helm,name=${name}`;
  const revisions = await retry(context, () => cluster.listSecrets(namespace, TYPE, selector, signal));
  const [newest] = revisions
    .map((each) => ({ secret: each.name, revision: Number(each.labels['version'] ?? 0) }))
    .sort((a, b) => b.revision - a.revision);
  if (newest === undefined) return null;
  const found = await retry(context, () => cluster.readSecret(namespace, newest.secret, signal));
  if (found === null) return null;
  const record = readRecord(found.data[KEY]);
  if (record === null) {
    throw new RunError(
      'ForeignRelease',
      `Secret ${newest.secret} in namespace ${namespace} is labelled as Helm release ${name} and cannot be read as one`,
      {
        hint: `See what helm history ${name} -n ${namespace} makes of it, and remove the Secret if nothing.`,
      },
    );
  }
  const { status, first_deployed, last_deployed } = record.info;
  if (status === 'uninstalled') return null;
  return {
    name,
    namespace,
    ...newest,
    resourceVersion: found.resourceVersion,
    status,
    firstDeployed: Date.parse(first_deployed),
    lastDeployed: Date.parse(last_deployed),
  };
}

/**
 * Sets a release that helm left in the middle of something to failed, in the record and in its label, as helm itself
 * and Flux do. The next `helm upgrade --install` then goes on from there.
 * @param release as it was found
 * @param description why, shown by `helm history`
 * @returns false when somebody else changed it meanwhile; nothing is changed then
 */
export async function setFailed(
  release: InstalledRelease,
  description: string,
  context: StepContext,
): Promise<boolean> {
  const { cluster, clock, signal } = context;
  const { namespace, secret, resourceVersion } = release;
  const found = await retry(context, () => cluster.readSecret(namespace, secret, signal));
  const record = readRecord(found?.data[KEY]);
  if (record === null) return false;
  const modifiedAt = String(Math.floor(clock.now().getTime() / 1000));
  const change = {
    resourceVersion,
    labels: { status: 'failed', modifiedAt },
    data: { [KEY]: writeRecord(failedRecord(record, description)) },
  };
  return await retry(context, () => cluster.changeSecret(namespace, secret, change, signal));
}
