import type { Mutant, SourceFile } from '../catalogue/index.ts';
import type { KnownTest } from './measure.ts';
import { sourcesOf } from './sources.ts';
import { nameOf } from './suite.ts';

/** Lines of a mutant whose words are looked at. */
const LINES = 4;

/**
 * Puts tests in the order in which they are likely to notice a fault: first those that speak of what the fault is
 * about, and those that noticed faults nearby.
 */
export class Order {
  readonly #words: ReadonlyMap<KnownTest, ReadonlySet<string>>;
  /** Number of tests that have a word. */
  readonly #counts = new Map<string, number>();
  readonly #kills = new Map<string, number>();
  readonly #texts: ReadonlyMap<string, readonly string[]>;

  constructor(tests: readonly KnownTest[], files: readonly SourceFile[]) {
    this.#texts = new Map(files.map(({ path, text }) => [path, text.split('\n')]));
    const sources = sourcesOf(tests.map(({ test }) => test));
    this.#words = new Map(
      tests.map((known) => {
        const texts = [
          nameOf(known.test),
          sources.get(known.test) ?? '',
          ...known.cases.map(({ text }) => text),
        ];
        return [known, new Set(wordsOf(texts.join(' ')))];
      }),
    );
    for (const words of this.#words.values()) {
      for (const word of words) this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
    }
  }

  /** @returns the likely ones first */
  sort(tests: readonly KnownTest[], mutant: Mutant): readonly KnownTest[] {
    const words = this.#wordsOf(mutant);
    const ranked = tests.map((known) => {
      const spoken = words.filter((word) => this.#words.get(known)?.has(word));
      const likely = spoken.reduce((sum, word) => sum + this.#weight(word), this.#nearby(mutant, known));
      return { known, likely };
    });
    // Of tests that are equally likely, the one with the fewest renders.
    return ranked
      .sort((a, b) => compare(b.likely, a.likely) || a.known.cases.length - b.known.cases.length)
      .map(({ known }) => known);
  }

  /** Notes who noticed a fault. */
  killed(mutant: Mutant, { test }: KnownTest): void {
    for (const place of placesOf(mutant)) {
      const key = `${place} ${test.id}`;
      this.#kills.set(key, (this.#kills.get(key) ?? 0) + 1);
    }
  }

  #nearby(mutant: Mutant, { test }: KnownTest): number {
    const kills = placesOf(mutant).map((place) => this.#kills.get(`${place} ${test.id}`) ?? 0);
    return kills.reduce((sum, count) => sum + 3 * Math.log2(1 + count), 0);
  }

  /** A word that few tests have says more. */
  #weight(word: string): number {
    const count = this.#counts.get(word) ?? 0;
    return count === 0 ? 0 : Math.log2(this.#words.size / count);
  }

  #wordsOf({ file, line, scope, original, replacement }: Mutant): readonly string[] {
    const lines = (this.#texts.get(file) ?? []).slice(
      line - 1,
      line - 1 + Math.min(LINES, original.split('\n').length),
    );
    return [...new Set(wordsOf([scope, replacement, ...lines].join(' ')))];
  }
}

/** What is around a fault, from near to far; the last is the whole chart. */
const placesOf = ({ file, scope, body }: Mutant): readonly string[] => [
  `body ${body}`,
  `scope ${file} ${scope}`,
  `file ${file}`,
  'all',
];

const compare = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);

const wordsOf = (text: string): readonly string[] => text.match(/[A-Za-z_][A-Za-z0-9_]{2,}/g) ?? [];
