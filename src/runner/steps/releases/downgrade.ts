import { RunError } from '../../../contract/index.ts';
import type { FoundRelease } from './installed.ts';
import type { Ledger, RunMark } from './ledger.ts';
import { isOurs } from './ownership.ts';
import { compareVersions } from './version.ts';

/** A newer aicr than this run's that came to deploy before. */
export interface Newer extends RunMark {
  /** The Helm release it deployed; empty: this release of the chart, whatever came of it. */
  readonly component: string;
}

/**
 * Looks for a newer aicr that reached deploy before: in the last run of the same release of this chart, and in
 * whichever run deployed one of the bundle's components last.
 * @param aicr this run's release tag
 * @returns the newest of them; null when there is none
 */
export function findNewer(
  aicr: string,
  found: readonly FoundRelease[],
  ledger: Ledger,
  self: { readonly namespace: string; readonly name: string },
): Newer | null {
  const last = ledger.newestRun(self);
  const marks: Newer[] = last === null ? [] : [{ ...last, component: '' }];
  for (const { bundled, installed } of found) {
    const entry = ledger.entry(bundled);
    if (installed === null || !isOurs(installed, entry)) continue;
    marks.push({ ...entry.deployed, component: bundled.name });
  }
  // A version that is no release tag compares with nothing.
  return marks.reduce<Newer | null>(
    (newest, mark) => ((compareVersions(newest?.aicr ?? aicr, mark.aicr) ?? 0) < 0 ? mark : newest),
    null,
  );
}

/** `aicr v1.1.0 is older than v1.2.0, …` */
export const describeDowngrade = (aicr: string, { aicr: newer, by, run, at, component }: Newer): string =>
  `aicr ${aicr} is older than ${newer}, with which run ${run} of release ${by} ${
    component === '' ? 'came to deploy' : `deployed ${component}`
  } at ${at}`;

/** The refusal of a downgrade that nobody asked for. */
export const downgradeError = (aicr: string, newer: Newer): RunError =>
  new RunError('DowngradeRefused', describeDowngrade(aicr, newer), {
    hint: `See in the status of run ${newer.run} what became of it, and go on with aicrVersion ${newer.aicr} or a newer one. To go back on purpose: deploy.allowDowngrade: true.`,
  });
