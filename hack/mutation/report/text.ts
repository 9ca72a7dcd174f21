import type { SourceFile } from '../catalogue/index.ts';
import type { Result, Score, Status } from '../run/score.ts';
import { diffOf } from './diff.ts';

const COLUMNS: readonly Status[] = ['killed', 'killed-by-render', 'survived', 'equivalent'];

/** The report for a terminal, without the closing line. */
export const textReport = (
  score: Score,
  files: readonly SourceFile[],
  origin: (file: string) => string,
): string => {
  const survivors = score.results.filter(({ status }) => status === 'survived');
  return [
    table('operator', score.results, ({ mutant }) => mutant.operator),
    table('file', score.results, ({ mutant }) => origin(mutant.file)),
    ...survivors.map((result) => survivor(result, files, origin)),
    ...score.faults.map((fault) => `gate: ${fault}`),
  ].join('\n\n');
};

const table = (title: string, results: readonly Result[], keyOf: (result: Result) => string): string => {
  const keys = [...new Set(results.map(keyOf))].sort();
  const width = Math.max(title.length, ...keys.map((key) => key.length));
  const row = (name: string, cells: readonly (string | number)[]): string =>
    `${name.padEnd(width)}${cells.map((cell, index) => String(cell).padStart(heads[index]?.length ?? 0)).join('')}`;
  const heads = COLUMNS.map((column) => `  ${column}`);
  const lines = keys.map((key) => {
    const own = results.filter((result) => keyOf(result) === key);
    return row(
      key,
      COLUMNS.map((column) => own.filter(({ status }) => status === column).length),
    );
  });
  return [row(title, heads), ...lines].join('\n');
};

const survivor = (
  { mutant, verdict }: Result,
  files: readonly SourceFile[],
  origin: (file: string) => string,
): string => {
  const text = files.find(({ path }) => path === mutant.file)?.text ?? '';
  const seen = verdict.differed
    ? `${verdict.tests} tests saw another render and passed`
    : 'no case of the suite renders anything else';
  const place = `${origin(mutant.file)}:${mutant.line}`;
  return `survived ${mutant.id}  ${place}  ${mutant.operator}  (${mutant.area})\n${seen}\n${diffOf(mutant, text)}`;
};
