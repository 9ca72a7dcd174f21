import { parseDocument, visit } from 'yaml';

/** A ConfigMap holds at most 1 MiB; the rest is for names, labels and other managers' keys. */
const CONFIG_MAP_BYTES = 900 * 1024;
export const SUMMARY_BYTES = 64 * 1024;
export const UPGRADING_BYTES = 128 * 1024;
const RECIPE_BYTES = CONFIG_MAP_BYTES - SUMMARY_BYTES - UPGRADING_BYTES;

/** By far the largest part of a recipe, and of no use to a reader. */
const BULKY_KEY = 'healthCheckAsserts';

/** A recipe that fits, and in words what was left out of it. */
export interface FittedRecipe {
  readonly text: string;
  readonly cuts: readonly string[];
}

/**
 * Makes a recipe fit into its ConfigMap. Too large a one loses its health checks, and what is still too large is cut
 * off; either is marked on the first line.
 * @param text the recipe as aicr wrote it
 */
export function fitRecipe(text: string, largest: number = RECIPE_BYTES): FittedRecipe {
  if (Buffer.byteLength(text) <= largest) return { text, cuts: [] };
  const bulk = `${BULKY_KEY} of every component is left out: the whole recipe has ${Buffer.byteLength(text)} bytes and does not fit`;
  const lean = `# ${bulk}\n${withoutKey(text, BULKY_KEY)}`;
  if (Buffer.byteLength(lean) <= largest) return { text: lean, cuts: [bulk] };
  const cut = `the recipe is cut off: it has ${Buffer.byteLength(text)} bytes, ${Buffer.byteLength(lean)} without ${BULKY_KEY}`;
  return { text: cutText(`# ${cut}\n${lean}`, largest), cuts: [bulk, cut] };
}

/**
 * Cuts a text to a number of bytes, at a line end, with a last line that says so.
 * @param largest bytes, the mark included
 */
export function cutText(text: string, largest: number): string {
  const size = Buffer.byteLength(text);
  if (size <= largest) return text;
  const mark = `# cut off here: ${size} bytes in all\n`;
  const kept = Buffer.from(text)
    .subarray(0, largest - Buffer.byteLength(mark))
    .toString('utf8');
  return `${kept.slice(0, kept.lastIndexOf('\n') + 1)}${mark}`;
}

function withoutKey(text: string, name: string): string {
  const document = parseDocument(text);
  visit(document, {
    Pair(_index, pair) {
      const key = pair.key;
      const isIt = typeof key === 'object' && key !== null && 'value' in key && key.value === name;
      return isIt ? visit.REMOVE : undefined;
    },
  });
  return document.toString();
}
