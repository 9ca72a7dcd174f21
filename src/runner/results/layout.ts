import { NOTES_KEY } from '../../contract/index.ts';
import type { ConfigMapContent } from '../ports/index.ts';
import { binarySize, emptyObjectSize, inWords, keySize, LIMITS, type Limits, textSize } from './budget.ts';
import { legalKey } from './keys.ts';
import { cutNote, joinNote, leftOutNote, replacedNote } from './notes.ts';
import type { Result, ResultEntry, TextEntry } from './result.ts';
import { sliceBytes, sliceText, textBeginning } from './slices.ts';
import { cleanText } from './text.ts';

/** A result fitted into ConfigMaps. */
export interface Layout {
  readonly head: ConfigMapContent;
  /** `<name>-1` to `<name>-<n>`; empty when everything fits into the head. */
  readonly parts: readonly ConfigMapContent[];
  /** What was split, cut, left out or replaced, one sentence each, for log and status. */
  readonly notes: readonly string[];
}

/** An entry with clean content and a legal key. */
interface Piece {
  readonly key: string;
  readonly entry: ResultEntry;
  readonly content: string | Uint8Array;
  /** Bytes it takes in a ConfigMap. */
  readonly size: number;
}

// A cut text keeps its mark within what was promised to it.
const MARK_ALLOWANCE = 512;
const NOTES_ALLOWANCE = 8 * 1024;

/**
 * Fits a result into ConfigMaps. What does not fit into the head is split over numbered parts as far as it may be kept;
 * larger texts are cut, larger binaries left out, each with a mark in the head. Pure.
 * @param limits room for a ConfigMap is beyond what its notes take, 16 KiB
 */
export function layOut(result: Result, limits: Limits = LIMITS): Layout {
  const marks: string[] = [];
  const pieces = prepare(result, limits.whole, marks);
  const inHead = new Set(pieces);
  const split: Piece[] = [];
  const room = limits.object - emptyObjectSize(result.name, result.namespace);
  const free = (): number => {
    const used = [...inHead].reduce((sum, { size }) => sum + size, 0);
    return room - used - (split.length > 0 || marks.length > 0 ? NOTES_ALLOWANCE : 0);
  };
  while (free() < 0) {
    const largest = [...inHead].reduce((a, b) => (b.size >= a.size ? b : a));
    inHead.delete(largest);
    split.push(largest);
  }

  const parts: ConfigMapContent[] = [];
  const joins: string[] = [];
  const moved: string[] = [];
  for (const piece of split) {
    const first = parts.length + 1;
    parts.push(...partsOf(result, piece, first, limits.object));
    joins.push(joinNote(result, piece.key, first, parts.length, piece.content));
    moved.push(`${piece.key} is split over ${result.name}-${first} to ${result.name}-${parts.length}`);
  }

  const share = Math.min(limits.document, free() / split.length);
  for (const piece of split) {
    const short = shortInHead(piece, share);
    if (short !== null) inHead.add(pieceOf(piece.key, piece.entry, short));
  }
  return { head: headOf(result, [...inHead], [...joins, ...marks]), parts, notes: [...marks, ...moved] };
}

function prepare(result: Result, limit: number, marks: string[]): Piece[] {
  const taken = new Set([NOTES_KEY]);
  const pieces: Piece[] = [];
  for (const entry of result.entries) {
    const key = legalKey(entry.key, taken);
    taken.add(key);
    if ('text' in entry) {
      const clean = cleanText(entry.text);
      if (clean.replaced > 0) marks.push(replacedNote(key, clean.replaced));
      const size = Buffer.byteLength(clean.text);
      if (size > limit) marks.push(cutNote(key, size, entry.wholeAt));
      pieces.push(pieceOf(key, entry, size > limit ? cut(entry, clean.text, size, limit) : clean.text));
    } else if (entry.bytes === null || entry.bytes.length > limit) {
      marks.push(leftOutNote(key, entry.size, limit, entry.wholeAt));
    } else {
      pieces.push(pieceOf(key, entry, entry.bytes));
    }
  }
  return pieces;
}

function cut(entry: TextEntry, text: string, size: number, limit: number): string {
  const short = entry.shorten?.(text, (candidate) => Buffer.byteLength(candidate) <= limit) ?? null;
  if (short !== null) return short;
  const beginning = textBeginning(text, limit - MARK_ALLOWANCE);
  const shown = inWords(Buffer.byteLength(beginning));
  return `${beginning}\n[cut here: the first ${shown} of ${inWords(size)}. ${entry.wholeAt}]\n`;
}

function shortInHead({ key, entry, content }: Piece, limit: number): string | null {
  if (typeof content !== 'string' || !('shorten' in entry)) return null;
  const room = limit - keySize(key);
  return entry.shorten(content, (candidate) => textSize(candidate) <= room);
}

function pieceOf(key: string, entry: ResultEntry, content: string | Uint8Array): Piece {
  const size = typeof content === 'string' ? textSize(content) : binarySize(content.length);
  return { key, entry, content, size: keySize(key) + size };
}

function partsOf(result: Result, { key, content }: Piece, first: number, limit: number): ConfigMapContent[] {
  // Part numbers never pass four digits: each entry is at most WHOLE_LIMIT.
  const room = limit - emptyObjectSize(`${result.name}-0000`, result.namespace) - keySize(key);
  const part = (index: number) => ({ name: `${result.name}-${first + index}`, namespace: result.namespace });
  return typeof content === 'string'
    ? sliceText(content, room).map((slice, index) => ({ ...part(index), data: { [key]: slice } }))
    : sliceBytes(content, room).map((slice, index) => ({ ...part(index), binaryData: { [key]: slice } }));
}

function headOf(result: Result, pieces: readonly Piece[], notes: readonly string[]): ConfigMapContent {
  const data: Record<string, string> = {};
  const binaryData: Record<string, Uint8Array> = {};
  for (const { key, content } of pieces) {
    if (typeof content === 'string') data[key] = content;
    else binaryData[key] = content;
  }
  if (notes.length > 0) data[NOTES_KEY] = `${notes.join('\n\n')}\n`;
  return {
    name: result.name,
    namespace: result.namespace,
    ...(Object.keys(data).length > 0 ? { data } : {}),
    ...(Object.keys(binaryData).length > 0 ? { binaryData } : {}),
  };
}
