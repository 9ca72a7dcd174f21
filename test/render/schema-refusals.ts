import { expect } from 'vitest';
import { chart } from './chart.ts';
import { helm, valuesFile } from './helm.ts';

/** One map of values, with a value at each key. */
export const everywhere = (entries: readonly (readonly [string, unknown])[]): object => {
  const values: Record<string, unknown> = {};
  for (const [key, value] of entries) {
    const names = key.split('.');
    const last = names.pop() ?? '';
    let inner = values;
    for (const name of names) {
      inner[name] ??= {};
      inner = inner[name] as Record<string, unknown>;
    }
    inner[last] = value;
  }
  return values;
};

/**
 * Which of some keys the values schema refuses; it names all at once. Fails unless both helms agree.
 * @param keys in the order in which they come back
 */
export const refused = async (values: unknown, keys: readonly string[]): Promise<readonly string[]> => {
  const file = valuesFile(values);
  const answers = await Promise.all(
    ([3, 4] as const).map((generation) => helm(generation, ['template', 'rel', chart, '-f', file])),
  );
  const [three, four = []] = answers.map(({ stderr }) => {
    const paths = [...stderr.matchAll(/^\s*- at '\/([^']*)': /gm)].map(([, path = '']) =>
      path.replaceAll('/', '.'),
    );
    return keys.filter((key) => paths.some((path) => `${path}.`.startsWith(`${key}.`)));
  });
  expect(three).toEqual(four);
  return four;
};
