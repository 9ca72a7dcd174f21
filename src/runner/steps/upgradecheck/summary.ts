import type { Change } from './report.ts';
import { headline, type UpgradeVerdict } from './verdict.ts';

/** What stands in the summary beside the verdict. */
export interface SummaryFacts {
  readonly release: string;
  readonly namespace: string;
  readonly configMap: string;
  /** Release tag of aicr. */
  readonly version: string;
  readonly failOn: readonly string[];
  readonly endedAt: Date;
}

/**
 * Writes the verdicts down for people: each component that needs attention with its reason and its steps, then the
 * others.
 * @returns text that ends with a line end
 */
export function summariseUpgrade(verdict: UpgradeVerdict, facts: SummaryFacts): string {
  const { release, namespace, configMap, version, failOn, endedAt } = facts;
  const passing = verdict.attention.slice(verdict.stopping.length);
  const sections: readonly (readonly string[])[] = [
    [
      `Upgrade check of release ${release} in namespace ${namespace}: ${verdict.outcome}`,
      verdict.message,
      `aicr ${version}, ended ${endedAt.toISOString()}`,
      `Verdicts that stop the run (upgradeCheck.failOn): ${failOn.join(', ') || 'none'}`,
    ],
    detailed('Stops the run', verdict.stopping),
    detailed('Needs attention, does not stop the run', passing),
    verdict.rest.length === 0
      ? []
      : [`Nothing to do (${verdict.rest.length})`, ...verdict.rest.map((change) => `  ${headline(change)}`)],
    [
      "aicr's whole report:",
      `  kubectl get configmap ${configMap} -n ${namespace} -o jsonpath='{.data.upgrade-check\\.json}'`,
    ],
  ];
  return textOf(sections);
}

/** The summary of a check that came to no verdict. @param tail aicr's last lines */
export function summariseFailure(why: string, tail: readonly string[], facts: SummaryFacts): string {
  const { release, namespace, version, endedAt } = facts;
  return textOf([
    [
      `Upgrade check of release ${release} in namespace ${namespace}: CheckFailed`,
      why,
      `aicr ${version}, ended ${endedAt.toISOString()}`,
    ],
    tail.length === 0 ? [] : ['Last lines of aicr upgrade-check', ...tail.map((line) => `  ${line}`)],
  ]);
}

function detailed(title: string, changes: readonly Change[]): readonly string[] {
  if (changes.length === 0) return [];
  return [`${title} (${changes.length})`, ...changes.flatMap(lines)];
}

function lines(change: Change): readonly string[] {
  const { reason, explanation, precondition, steps } = change;
  return [
    `  ${headline(change)}${reason === '' ? '' : ` (${reason})`}`,
    ...(explanation === '' ? [] : [`      ${explanation}`]),
    ...(precondition === '' ? [] : [`      First: ${precondition}`]),
    ...steps.map((step, index) => `      ${index + 1}. ${step}`),
  ];
}

const textOf = (sections: readonly (readonly string[])[]): string =>
  `${sections
    .filter((section) => section.length > 0)
    .map((section) => section.join('\n'))
    .join('\n\n')}\n`;
