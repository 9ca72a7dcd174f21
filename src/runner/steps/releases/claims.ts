import { readFile, writeFile } from 'node:fs/promises';
import { componentKey, newestRunKey, RunError } from '../../../contract/index.ts';
import type { StepContext } from '../../context.ts';
import { messageOf } from '../../ports/index.ts';
import { type FoundRelease, findInstalled, type InstalledRelease } from './installed.ts';
import {
  changeLedger,
  type Ledger,
  type LedgerChange,
  type LedgerEntry,
  ledgerText,
  type RunMark,
} from './ledger.ts';
import { isOurs } from './ownership.ts';

/** How long the end of a deployment may be held up by its records. */
const SETTLE_MS = 10_000;

/** What a run writes into the list of components once it deploys; handed from one step to the other in a file. */
export interface Claims {
  /** Where the list is. */
  readonly namespace: string;
  /** Whether deploying without the list is let pass. */
  readonly required: boolean;
  readonly change: LedgerChange;
  /** Releases that are not there yet, with what was written of each. */
  readonly planned: readonly {
    readonly name: string;
    readonly namespace: string;
    readonly entry: LedgerEntry;
  }[];
}

/**
 * What the list shall say before the first component is installed. All of it is written before deploy.sh starts: a
 * run that is killed then has no release that the next one would take for somebody else's.
 * @param self release of this chart
 */
export function claimsOf(
  found: readonly FoundRelease[],
  ledger: Ledger,
  mark: RunMark,
  self: { readonly namespace: string; readonly name: string },
): Pick<Claims, 'change' | 'planned'> {
  const entries = found.map(({ bundled, installed }) => ({
    ...bundled,
    entry: entryOf(installed, ledger.entry(bundled), mark),
  }));
  return {
    change: Object.fromEntries([
      [newestRunKey(self.namespace, self.name), ledgerText(mark)],
      ...entries.map(({ namespace, name, entry }) => [componentKey(namespace, name), ledgerText(entry)]),
    ]),
    planned: entries
      .filter(({ entry }) => entry.firstDeployed === '')
      .map(({ name, namespace, entry }) => ({ name, namespace, entry })),
  };
}

function entryOf(installed: InstalledRelease | null, entry: LedgerEntry | null, mark: RunMark): LedgerEntry {
  if (installed === null) return { how: 'installed', made: mark, deployed: mark, firstDeployed: '' };
  const firstDeployed = new Date(installed.firstDeployed).toISOString();
  return isOurs(installed, entry)
    ? { ...entry, deployed: mark, firstDeployed }
    : { how: 'adopted', made: mark, deployed: mark, firstDeployed };
}

/** Leaves them for the deploy step. */
export const writeClaims = (file: string, claims: Claims): Promise<void> =>
  writeFile(file, JSON.stringify(claims));

/** What the releases step left. */
export const readClaims = async (file: string): Promise<Claims> =>
  JSON.parse(await readFile(file, 'utf8')) as Claims;

/**
 * Writes them into the list.
 * @throws RunError `ClusterUnreachable`, or `RightsMissing` where the list is required
 */
export async function claim({ namespace, required, change }: Claims, context: StepContext): Promise<void> {
  try {
    await changeLedger(namespace, change, context);
  } catch (error) {
    if (required || !(error instanceof RunError) || error.code !== 'RightsMissing') throw error;
    context.status.warn(
      `${error.message}: the releases of this run are not recorded, and the next run takes them for somebody else's`,
    );
  }
}

/**
 * Writes down when the new releases were first installed, and takes those off the list that never came to be. What
 * cannot be done within seconds is left to the next run: the list then says that this one was about to install them.
 */
export async function settle({ namespace, planned }: Claims, context: StepContext): Promise<void> {
  const { signal, status, log } = context;
  // Not AbortSignal.timeout: within AbortSignal.any nothing else holds it, and Node 20 collects it before it fires.
  const limit = new AbortController();
  const alarm = setTimeout(() => limit.abort(new Error(`no answer within ${SETTLE_MS / 1000} s`)), SETTLE_MS);
  const brief: StepContext = {
    ...context,
    signal: AbortSignal.any([signal, limit.signal]),
    // It is not the deployment that is tried again.
    status: { ...status, retrying: () => {} },
  };
  try {
    const change: Record<string, string | null> = {};
    for (const { entry, ...release } of planned) {
      const installed = await findInstalled(release, brief);
      const seen = installed !== null && isOurs(installed, entry);
      change[componentKey(release.namespace, release.name)] = seen
        ? ledgerText({ ...entry, firstDeployed: new Date(installed.firstDeployed).toISOString() })
        : null;
    }
    await changeLedger(namespace, change, brief);
  } catch (error) {
    if (signal.aborted) return;
    log.warn(`when the new releases were installed could not be recorded: ${messageOf(error)}`);
  } finally {
    clearTimeout(alarm);
  }
}
