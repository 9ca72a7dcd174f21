/** What aicr says of one component that changes. */
export interface Change {
  readonly component: string;
  /** `version`, `added`, `removed` or `identity`. */
  readonly change: string;
  /** Empty where there was none. */
  readonly from: string;
  readonly to: string;
  /** `safe`, `manual`, `blocked`, `unknown`, `unversioned`, or a word that later versions add; empty: nothing to judge. */
  readonly verdict: string;
  readonly reason: string;
  readonly explanation: string;
  readonly precondition: string;
  /** What is to be done by hand, in order, a sentence each. */
  readonly steps: readonly string[];
}

/**
 * Reads the report of `aicr upgrade-check -t json`.
 * @returns the changes in aicr's order; null when it is no such report
 */
export function readReport(content: string): readonly Change[] | null {
  let report: unknown;
  try {
    report = JSON.parse(content);
  } catch {
    return null;
  }
  const { components } = asRecord(report);
  // With nothing to say, a list of Go is null.
  if (components === null) return [];
  if (!Array.isArray(components)) return null;
  const changes = components.map(asRecord);
  return changes.some(({ component }) => text(component) === '') ? null : changes.map(readChange);
}

function readChange(found: Readonly<Record<string, unknown>>): Change {
  const { component, change, from, to, verdict, reason, explanation, precondition, steps } = found;
  return {
    component: text(component),
    change: text(change),
    from: text(from),
    to: text(to),
    verdict: text(verdict),
    reason: text(reason),
    explanation: text(explanation),
    precondition: text(precondition),
    steps: (Array.isArray(steps) ? steps : []).map(asRecord).map(stepText),
  };
}

function stepText({ id, description, reason }: Readonly<Record<string, unknown>>): string {
  const why = text(reason);
  return `${text(description) || text(id)}${why === '' ? '' : ` (${why})`}`;
}

const asRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
