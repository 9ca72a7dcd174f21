/** The key whose guard refuses a value. */
export class RefusedBy {
  readonly key: string;
  constructor(key: string) {
    this.key = key;
  }
}

/** Nothing: all objects are those of the default. */
export const NO_EFFECT = Symbol('no effect');

/** What is given, and what is seen then. */
export type Seen = readonly [given: unknown, seen: unknown];

/** Where a key shows, and as what. */
export interface KeyCase {
  /**
   * Blank-separated steps from a named object (see `viewOf` in keys.test.ts); a step into a list is the name of the
   * element. A key that goes into run.json shows at its place there when nothing is said.
   */
  readonly at?: string;
  /** What is seen when the key is not given: the schema's default when nothing is said. */
  readonly default?: unknown;
  readonly seen: readonly Seen[];
  /** What is given beside the key. */
  readonly base?: object;
}
