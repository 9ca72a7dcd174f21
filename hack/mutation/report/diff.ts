import { applyMutant, type Mutant } from '../catalogue/index.ts';

/** Lines of a diff beyond which the rest is only counted. */
const LINES = 14;

/**
 * A mutant as the lines that it changes: `-` as they are, `+` as they would be.
 * @param text of the file without the fault
 */
export const diffOf = (mutant: Mutant, text: string): string => {
  const before = text.split('\n');
  const after = applyMutant(mutant, text).split('\n');
  let top = 0;
  while (top < before.length && before[top] === after[top]) top += 1;
  let bottom = 0;
  const least = Math.min(before.length, after.length) - top;
  while (bottom < least && before.at(-1 - bottom) === after.at(-1 - bottom)) bottom += 1;
  const gone = before.slice(top, before.length - bottom).map((line) => `- ${line}`);
  const come = after.slice(top, after.length - bottom).map((line) => `+ ${line}`);
  return [...shortened(gone), ...shortened(come)].join('\n');
};

const shortened = (lines: readonly string[]): readonly string[] =>
  lines.length <= LINES
    ? lines
    : [...lines.slice(0, LINES - 1), `${lines[0]?.[0]} … ${lines.length - LINES + 1} lines more`];
