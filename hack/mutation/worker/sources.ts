import { readFileSync } from 'node:fs';
import type { File, Test } from '@vitest/runner';

/**
 * What stands in the file for each test: the lines from its own to those of the next. A test whose place vitest does
 * not know has none.
 */
export const sourcesOf = (tests: readonly Test[]): ReadonlyMap<Test, string> =>
  new Map([...new Set(tests.map(({ file }) => file))].flatMap((file) => sourcesIn(file, tests)));

const sourcesIn = (file: File, tests: readonly Test[]): readonly (readonly [Test, string])[] => {
  const placed = tests.flatMap((test) =>
    test.file === file && test.location !== undefined ? [{ test, line: test.location.line }] : [],
  );
  const lines = readFileSync(file.filepath, 'utf8').split('\n');
  const starts = placed.map(({ line }) => line).sort((a, b) => a - b);
  return placed.map(({ test, line }) => {
    const next = starts.find((start) => start > line) ?? lines.length + 1;
    return [test, lines.slice(line - 1, next - 1).join('\n')];
  });
};
