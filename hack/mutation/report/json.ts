import type { SourceFile } from '../catalogue/index.ts';
import type { Score } from '../run/score.ts';
import { diffOf } from './diff.ts';

/** The report for programs: every mutant with what became of it. */
export const jsonReport = (
  { results, killed, equivalent, survived, percent, checks, faults }: Score,
  files: readonly SourceFile[],
  origin: (file: string) => string,
): string => {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const mutants = results.map(({ mutant, status, verdict, reason }) => ({
    id: mutant.id,
    status,
    file: origin(mutant.file),
    line: mutant.line,
    scope: mutant.scope,
    operator: mutant.operator,
    area: mutant.area,
    diff: diffOf(mutant, texts.get(mutant.file) ?? ''),
    ...(verdict.killer === '' ? {} : { killer: verdict.killer }),
    ...(reason === '' ? {} : { reason }),
    differed: verdict.differed,
    tests: verdict.tests,
    milliseconds: verdict.milliseconds,
  }));
  const score = Number(percent.toFixed(1));
  return `${JSON.stringify({ killed, equivalent, survived, score, checks, faults, mutants }, null, 2)}\n`;
};
