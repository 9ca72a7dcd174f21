import { COMPONENTS_CONFIG_MAP, componentKey, newestRunKey } from '../../../contract/index.ts';
import type { StepContext } from '../../context.ts';
import { retry } from '../retry.ts';

/** A run, as the list of components names it. */
export interface RunMark {
  /** Release of this chart, `namespace/name`. */
  readonly by: string;
  /** Name of the run's Job. */
  readonly run: string;
  /** RFC 3339. */
  readonly at: string;
  /** Release tag of aicr. */
  readonly aicr: string;
}

/** What the list says of one Helm release. */
export interface LedgerEntry {
  /** Whether a run of ours installed it, or took it over under `deploy.existingReleases: adopt`. */
  readonly how: 'installed' | 'adopted';
  /** By whom, when. */
  readonly made: RunMark;
  /** The run that deployed it last, or was about to. */
  readonly deployed: RunMark;
  /** When Helm first installed it, RFC 3339. Empty: a run was about to install it, and was not there to see the end. */
  readonly firstDeployed: string;
}

/** The list of the Helm releases that runs made, and of the newest run of each release of this chart. */
export interface Ledger {
  /** Null when it is not on the list. */
  entry(release: { readonly namespace: string; readonly name: string }): LedgerEntry | null;
  /** The last run of a release of this chart that reached deploy; null when none did. */
  newestRun(release: { readonly namespace: string; readonly name: string }): RunMark | null;
}

/** Keys to write into the list; null removes one. */
export type LedgerChange = Readonly<Record<string, string | null>>;

/**
 * Reads the list. An entry that is no JSON, or not ours, counts as none.
 * @param namespace where the ConfigMap is
 */
export async function readLedger(namespace: string, context: StepContext): Promise<Ledger> {
  const { cluster, signal } = context;
  const texts = await retry(context, () => cluster.readTexts(namespace, COMPONENTS_CONFIG_MAP, signal));
  return ledgerOf(texts);
}

/** @param texts the ConfigMap's data */
export const ledgerOf = (texts: Readonly<Record<string, string>>): Ledger => ({
  entry: ({ namespace, name }) => {
    const found = parsed(texts[componentKey(namespace, name)]) as Partial<LedgerEntry> | null | undefined;
    const whole = isMark(found?.made) && isMark(found.deployed) && typeof found.firstDeployed === 'string';
    return whole ? (found as LedgerEntry) : null;
  },
  newestRun: ({ namespace, name }) => {
    const found = parsed(texts[newestRunKey(namespace, name)]);
    return isMark(found) ? found : null;
  },
});

/** Writes into the list; what it is not told of stays. */
export async function changeLedger(
  namespace: string,
  change: LedgerChange,
  context: StepContext,
): Promise<void> {
  if (Object.keys(change).length === 0) return;
  const { cluster, signal } = context;
  await retry(context, () => cluster.mergeTexts(namespace, COMPONENTS_CONFIG_MAP, change, signal));
}

/** An entry or a mark as it stands in the ConfigMap: people read it, too. */
export const ledgerText = (value: LedgerEntry | RunMark): string => JSON.stringify(value, null, 2);

function parsed(text: string | undefined): unknown {
  let value: unknown;
  try {
    // A key that is not there becomes a word that is no JSON.
    value = JSON.parse(String(text));
  } catch {
    // It counts as none.
  }
  return value;
}

function isMark(value: unknown): value is RunMark {
  const mark = (value ?? {}) as Partial<RunMark>;
  return [mark.by, mark.run, mark.at, mark.aicr].every((text) => typeof text === 'string');
}
