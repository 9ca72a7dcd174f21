import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Mutant } from '../catalogue/index.ts';

/** One line of the list: mutants that no test can kill, and why. */
export interface Equivalent {
  /** Of the one mutant, or what all that are meant have in common. */
  readonly id?: string;
  readonly match?: Partial<Pick<Mutant, 'file' | 'operator' | 'scope' | 'original' | 'replacement'>>;
  readonly reason: string;
}

const FIELDS: ReadonlySet<string> = new Set(['file', 'operator', 'scope', 'original', 'replacement']);

/**
 * Reads the list of equivalent mutants.
 * @param file its path
 * @throws Error naming the entry that is wrong
 */
export const readEquivalents = (file: string): readonly Equivalent[] => {
  const entries = (parse(readFileSync(file, 'utf8')) ?? []) as unknown;
  if (!Array.isArray(entries)) throw new Error(`${file}: is no list`);
  return entries.map((entry: Equivalent, index) => {
    const where = `${file}, entry ${index + 1}`;
    if (typeof entry?.reason !== 'string' || entry.reason.trim() === '')
      throw new Error(`${where}: gives no reason`);
    if ((entry.id === undefined) === (entry.match === undefined)) {
      throw new Error(`${where}: needs either an id or a match`);
    }
    if (entry.id !== undefined && typeof entry.id !== 'string') {
      throw new Error(`${where}: its id is no text for YAML (${entry.id}); write it in quotes`);
    }
    const unknown = Object.keys(entry.match ?? {}).filter((name) => !FIELDS.has(name));
    if (unknown.length > 0)
      throw new Error(`${where}: matches by ${unknown.join(', ')}, which no mutant has`);
    return entry;
  });
};

/** Whether an entry means a mutant. */
export const means = ({ id, match }: Equivalent, mutant: Mutant): boolean => {
  if (match === undefined) return mutant.id === id;
  return Object.entries(match).every(([field, value]) => mutant[field as keyof typeof match] === value);
};

/** An entry in a few words. */
export const describeEquivalent = ({ id, match, reason }: Equivalent): string =>
  `${id ?? JSON.stringify(match)} (${reason.split('\n')[0]})`;
