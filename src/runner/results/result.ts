/** One named piece of a result, before it is fitted into ConfigMaps. */
export type ResultEntry = TextEntry | BinaryEntry;

export interface TextEntry {
  /** Key it is found under; made legal when it is not. */
  readonly key: string;
  readonly text: string | Uint8Array;
  /**
   * Makes a shorter document of the same kind, which says itself what is missing; null when it cannot.
   * Without one, a text is cut after a whole line.
   * @param text the whole text, clean
   * @param fits tells whether a candidate is short enough
   */
  readonly shorten?: (text: string, fits: (candidate: string) => boolean) => string | null;
  /** Where the whole can be had when it was cut, as a sentence. */
  readonly wholeAt: string;
}

export interface BinaryEntry {
  readonly key: string;
  /** Null when it is larger than WHOLE_LIMIT and was never read. */
  readonly bytes: Uint8Array | null;
  /** Bytes of the whole. */
  readonly size: number;
  /** Where the whole can be had when it was left out, as a sentence. */
  readonly wholeAt: string;
}

/** What a run wants to leave in the ConfigMap `name`. */
export interface Result {
  readonly name: string;
  readonly namespace: string;
  /** Smaller and more important entries first; the largest are the first to be split off. */
  readonly entries: readonly ResultEntry[];
  /** Every key that such a result may have: those not written this time are removed, whoever wrote them. */
  readonly keys: readonly string[];
  /** The chart's value that names the ConfigMap, for messages: `recipeConfigMap`. */
  readonly value: string;
}
