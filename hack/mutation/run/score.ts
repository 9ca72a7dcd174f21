import type { Area, Mutant } from '../catalogue/index.ts';
import type { Verdict } from '../worker/protocol.ts';
import { describeEquivalent, type Equivalent, means } from './equivalents.ts';

export type Status = 'killed' | 'killed-by-render' | 'survived' | 'equivalent';

/** A mutant with what became of it. */
export interface Result {
  readonly mutant: Mutant;
  readonly status: Status;
  readonly verdict: Verdict;
  /** Why it counts as equivalent. */
  readonly reason: string;
}

/** One condition of the gate. */
export interface Check {
  /** Path of a mutated file, or what else is looked at. */
  readonly name: string;
  /** Why the gate stays shut; empty when it is open. */
  readonly faults: readonly string[];
}

/** What a run comes to. */
export interface Score {
  readonly results: readonly Result[];
  readonly killed: number;
  readonly equivalent: number;
  readonly survived: number;
  /** Of those that are not equivalent, in percent. */
  readonly percent: number;
  /** The whole, each mutated file, and the list of equivalents. */
  readonly checks: readonly Check[];
  /** Those of all checks. */
  readonly faults: readonly string[];
}

/** Percent of the mutants that are not equivalent. */
const GATE = 95;
const GUARDED: ReadonlySet<Area> = new Set<Area>(['guards', 'rbac', 'security', 'secret']);

/** Counts, and says whether the suite is good enough. */
export const score = (
  mutants: readonly Mutant[],
  verdicts: ReadonlyMap<string, Verdict>,
  equivalents: readonly Equivalent[],
): Score => {
  const results = mutants.flatMap((mutant): readonly Result[] => {
    const verdict = verdicts.get(mutant.id);
    if (verdict === undefined) return [];
    const entry = equivalents.find((one) => means(one, mutant));
    const status = verdict.status === 'survived' && entry !== undefined ? 'equivalent' : verdict.status;
    return [{ mutant, verdict, status, reason: entry?.reason ?? '' }];
  });
  const count = (wanted: Status): number => results.filter(({ status }) => status === wanted).length;
  const [equivalent, survived] = [count('equivalent'), count('survived')];
  const killed = count('killed') + count('killed-by-render');
  const percent = killed + survived === 0 ? 100 : (100 * killed) / (killed + survived);
  const checks = [
    {
      name: 'all mutants',
      faults: percent < GATE ? [`the score is ${percent.toFixed(1)} %, less than ${GATE}`] : [],
    },
    ...[...new Set(mutants.map(({ file }) => file))].map((file) => ({
      name: file,
      faults: guarded(file, results),
    })),
    { name: 'equivalents', faults: stale(results, equivalents) },
  ];
  const faults = checks.flatMap((check) => check.faults);
  return { results, killed, equivalent, survived, percent, checks, faults };
};

/** Survivors of a file in which none may be. */
const guarded = (file: string, results: readonly Result[]): readonly string[] =>
  results
    .filter(({ status, mutant }) => status === 'survived' && mutant.file === file && GUARDED.has(mutant.area))
    .map(({ mutant }) => `${mutant.id} survived in ${file}, which is about ${mutant.area}`);

/** Entries of the list that are wrong by now. */
const stale = (results: readonly Result[], equivalents: readonly Equivalent[]): readonly string[] =>
  equivalents.flatMap((entry) => {
    const meant = results.filter(({ mutant }) => means(entry, mutant));
    const name = describeEquivalent(entry);
    if (meant.length === 0) return [`equivalent ${name} matches no mutant any more; remove it`];
    const killed = meant.find(({ verdict }) => verdict.status !== 'survived');
    if (killed === undefined) return [];
    const killer = killed.verdict.killer === '' ? 'does not render' : `is killed by ${killed.verdict.killer}`;
    return [`equivalent ${name} is none: ${killed.mutant.id} ${killer}`];
  });

/** The line that every run ends with. */
export const closingLine = ({ results, killed, equivalent, percent }: Score): string =>
  `mutants ${results.length} killed ${killed} equivalent ${equivalent} score ${percent.toFixed(1)}`;
