import type { CheckStatus, Report } from './ctrf.ts';
import { type Ending, explainExit } from './exit.ts';

/**
 * What validation came to, a closed set.
 * - `Passed`: checks passed, none failed, none inconclusive
 * - `NothingChecked`: aicr is content, but no check passed: none ran, or every one was skipped
 * - `Failed`: at least one check failed
 * - `Inconclusive`: none failed, but at least one came to no conclusion
 * - `Incomplete`: no check is to blame, but aicr did not end well
 * - `NotReady`: the cluster misses a readiness constraint; no check ran
 * - `NoVerdict`: there is no report that can be read
 * - `Interrupted`: the run was stopped before there was a verdict
 */
export type VerdictOutcome =
  | 'Passed'
  | 'NothingChecked'
  | 'Failed'
  | 'Inconclusive'
  | 'Incomplete'
  | 'NotReady'
  | 'NoVerdict'
  | 'Interrupted';

export interface Verdict {
  readonly outcome: VerdictOutcome;
  /** One sentence: counts, or why there are none, and how aicr ended. */
  readonly message: string;
  /** What to do, as one sentence; empty when nothing is to be done. */
  readonly hint: string;
  /** Whether the cluster is not proven: what failOnError decides about. */
  readonly bad: boolean;
}

/** What a verdict is made of. */
export interface Findings {
  readonly ending: Ending;
  /** Null when there is none, or it cannot be read. */
  readonly report: Report | null;
  /** Why there is no report, as a sentence; empty with one. */
  readonly missing: string;
  /** aicr's own words for its failure; empty when it said none. */
  readonly said: string;
}

/**
 * Decides by the report's failed and inconclusive checks and by the exit code: neither alone is enough, as
 * `--fail-on-error=false` lets aicr end with 0 whatever failed.
 */
export function decide({ ending, report, missing, said }: Findings): Verdict {
  const how = explainExit(ending, report !== null);
  const words = said === '' ? how : `${said} (${how})`;
  if (report === null) {
    if (ending.exitCode === 2 && /readiness/i.test(said)) {
      return verdict('NotReady', `the cluster is not ready, no check ran: ${said} (exit code 2)`);
    }
    return verdict('NoVerdict', `no verdict: ${missing}; aicr validate: ${words}`);
  }
  const counted = inWords(report);
  const { failed, other, passed } = report.counts;
  if (failed > 0) return verdict('Failed', `${counted}; aicr validate: ${how}`);
  if (other > 0) return verdict('Inconclusive', `${counted}; aicr validate: ${how}`);
  if (ending.exitCode !== 0)
    return verdict('Incomplete', `${counted}, but aicr validate did not end well: ${words}`);
  return passed > 0 ? verdict('Passed', counted) : verdict('NothingChecked', counted);
}

/** The verdict of a run that was stopped. @param why what stopped it */
export const interruptedVerdict = (why: string): Verdict => verdict('Interrupted', `no verdict: ${why}`);

const HINTS: Readonly<Record<VerdictOutcome, string>> = {
  Passed: '',
  NothingChecked:
    'Check that the recipe has checks for these phases, and why others were skipped; a skipped check proves nothing.',
  Failed: 'Read what the failed checks say; when their cause is gone, run it again.',
  Inconclusive:
    'A check that comes to no conclusion crashed, was killed, never started or took too long: look at its Job and at the images it needs, then run it again.',
  Incomplete: "See aicr's own words in the log; what ran is in the report.",
  NotReady: 'Bring the cluster to what the constraint asks for, then run it again.',
  NoVerdict: "See aicr's own words in the log; check validateFlags and validateArgs.",
  Interrupted: 'Run it again.',
};

function verdict(outcome: VerdictOutcome, message: string): Verdict {
  return {
    outcome,
    message,
    hint: HINTS[outcome],
    bad: outcome !== 'Passed' && outcome !== 'NothingChecked',
  };
}

const NAMED_CHECKS = 5;

/** `14 checks: 2 failed (operator-health, expected-resources), 1 inconclusive (check-nvidia-smi), 11 passed`. */
function inWords({ counts, checks }: Report): string {
  if (counts.tests === 0) return 'no check ran';
  const named = (status: CheckStatus): string => {
    const names = checks.filter((check) => check.status === status).map((check) => check.name);
    if (names.length === 0) return '';
    const more = names.length > NAMED_CHECKS ? `, and ${names.length - NAMED_CHECKS} more` : '';
    return ` (${names.slice(0, NAMED_CHECKS).join(', ')}${more})`;
  };
  const parts = [
    [counts.failed, `failed${named('failed')}`],
    [counts.other, `inconclusive${named('other')}`],
    [counts.skipped, 'skipped'],
    [counts.passed, 'passed'],
  ] as const;
  const said = parts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  return `${counts.tests} ${counts.tests === 1 ? 'check' : 'checks'}: ${said.join(', ')}`;
}
