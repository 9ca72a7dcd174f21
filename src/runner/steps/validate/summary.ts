import type { Check, CheckStatus, Report } from './ctrf.ts';
import type { Verdict } from './verdict.ts';

/** What stands in the verdict's summary beside verdict and report. */
export interface SummaryFacts {
  readonly release: string;
  readonly namespace: string;
  readonly configMap: string;
  /** Release tag of aicr. */
  readonly version: string;
  readonly phases: readonly string[];
  readonly endedAt: Date;
  /** aicr's last lines, shown where there is no report. */
  readonly tail: readonly string[];
}

/** Checks whose lines are shown; of more, names alone. */
const DETAILED_CHECKS = 50;
const NAMED_CHECKS = 500;

/**
 * Writes a verdict down for people: counts, each failed or inconclusive check with its first lines, the names of the
 * others, what to do.
 * @param report null when there is none
 * @returns text that ends with a line end, at most about 200 KiB
 */
export function summariseVerdict(verdict: Verdict, report: Report | null, facts: SummaryFacts): string {
  const of = (status: CheckStatus): readonly Check[] =>
    (report?.checks ?? []).filter((check) => check.status === status);
  const sections: readonly (readonly string[])[] = [
    [
      `Validation of release ${facts.release} in namespace ${facts.namespace}: ${verdict.outcome}`,
      verdict.message,
      `aicr ${facts.version}, phases ${facts.phases.join(', ')}, ended ${facts.endedAt.toISOString()}`,
    ],
    (report?.oddities ?? []).map((oddity) => `NOTE: ${oddity}`),
    detailed('Failed', of('failed')),
    detailed('Inconclusive', of('other')),
    reasons('Skipped', of('skipped')),
    names('Passed', of('passed')),
    report === null && facts.tail.length > 0 ? ['Last lines of aicr validate', ...indent(facts.tail)] : [],
    verdict.hint === '' ? [] : [`What to do: ${verdict.hint}`],
    report === null
      ? []
      : [
          'The whole report:',
          `  kubectl get configmap ${facts.configMap} -n ${facts.namespace} -o jsonpath='{.data.ctrf\\.json}'`,
        ],
  ];
  const text = sections.filter((section) => section.length > 0).map((section) => section.join('\n'));
  return `${text.join('\n\n')}\n`;
}

function detailed(title: string, checks: readonly Check[]): readonly string[] {
  if (checks.length === 0) return [];
  const shown = checks.slice(0, DETAILED_CHECKS);
  return [
    `${title} (${checks.length})`,
    ...shown.flatMap((check) => [
      `  ${label(check)}`,
      ...(check.lines.length === 0 ? ['(it said nothing)'] : check.lines).map((line) => `      ${line}`),
    ]),
    ...(shown.length === checks.length ? [] : named(checks.slice(DETAILED_CHECKS))),
  ];
}

function reasons(title: string, checks: readonly Check[]): readonly string[] {
  if (checks.length === 0) return [];
  const shown = checks.slice(0, DETAILED_CHECKS);
  return [
    `${title} (${checks.length})`,
    ...shown.map((check) => `  ${label(check)}${check.lines[0] === undefined ? '' : `: ${check.lines[0]}`}`),
    ...(shown.length === checks.length ? [] : named(checks.slice(DETAILED_CHECKS))),
  ];
}

const names = (title: string, checks: readonly Check[]): readonly string[] =>
  checks.length === 0 ? [] : [`${title} (${checks.length})`, ...named(checks)];

function named(checks: readonly Check[]): readonly string[] {
  const left = checks.length - NAMED_CHECKS;
  const list = checks.slice(0, NAMED_CHECKS).map(label).join(', ');
  return [`  ${list}${left > 0 ? ` and ${left} more` : ''}`];
}

const label = ({ name, suite }: Check): string => (suite === '' ? name : `${name} (${suite})`);

const indent = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`);
