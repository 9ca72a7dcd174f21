import { expect } from 'vitest';
import { refuse, render } from './helm.ts';

/** What is asked, the values, and the keys whose guard must speak (none: the values render), or its words. */
export type GuardCase = readonly [string, object | string, readonly string[]];

/** Renders one case, and fails unless exactly the guards of these keys refuse it, each in a sentence and a half. */
export const askGuards = async (
  _name: string,
  values: object | string,
  keys: readonly string[],
): Promise<void> => {
  if (keys.length === 0) {
    await render(values);
    return;
  }
  const lines = (await refuse(values)).split('\n');
  expect(lines.map((line) => line.slice(0, line.indexOf(': ')))).toEqual(keys);
  // What is wrong, and what to do.
  for (const line of lines) expect(line).toMatch(/^\S+: [^;]+; .+/);
};

/** Renders one case, and fails unless the guards say just these lines. */
export const askForWords = async (
  _name: string,
  values: object | string,
  lines: readonly string[],
): Promise<void> => {
  // Helm may warn, in a line before its own, of a map that stands in the place of a text.
  const said = (await refuse(values)).split('\n').filter((line) => !line.startsWith('Error: '));
  expect(said).toEqual(lines);
};
