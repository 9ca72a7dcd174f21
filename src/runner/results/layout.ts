import { NOTES_KEY } from '../../contract/index.ts';
import type { ConfigMapContent } from '../ports/index.ts';
import {
  binarySize,
  emptyObjectSize,
  inWords,
  keySize,
  OBJECT_BUDGET,
  textSize,
  WHOLE_LIMIT,
} from './budget.ts';
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
type Piece =
  | { readonly key: string; readonly entry: ResultEntry; readonly text: string }
  | { readonly key: string; readonly entry: ResultEntry; readonly bytes: Uint8Array };

// A cut text keeps its mark within what was promised to it.
const MARK_ALLOWANCE = 512;
const NOTES_ALLOWANCE = 8 * 1024;
/** A shortened document in the head is for a quick look; the whole is in the parts. */
const HEAD_DOCUMENT = 512 * 1024;

/**
 * Fits a result into ConfigMaps of at most OBJECT_BUDGET each. What does not fit into the head is split over numbered
 * parts up to WHOLE_LIMIT; larger texts are cut, larger binaries left out, each with a mark in the head. Pure.
 */
export function layOut(result: Result): Layout {
  const marks: string[] = [];
  const pieces = prepare(result, marks);
  const inHead = new Set(pieces);
  const split: Piece[] = [];
  const room = OBJECT_BUDGET - emptyObjectSize(result.name, result.namespace);
  const free = (): number => {
    const used = [...inHead].reduce((sum, piece) => sum + pieceSize(piece), 0);
    return room - used - (split.length > 0 || marks.length > 0 ? NOTES_ALLOWANCE : 0);
  };
  while (free() < 0 && inHead.size > 0) {
    const largest = [...inHead].reduce((a, b) => (pieceSize(b) > pieceSize(a) ? b : a));
    inHead.delete(largest);
    split.push(largest);
  }

  const parts: ConfigMapContent[] = [];
  const joins: string[] = [];
  const moved: string[] = [];
  for (const piece of split) {
    const first = parts.length + 1;
    parts.push(...partsOf(result, piece, first));
    joins.push(joinNote(result, piece.key, first, parts.length, 'text' in piece ? piece.text : piece.bytes));
    moved.push(`${piece.key} is split over ${result.name}-${first} to ${result.name}-${parts.length}`);
  }

  const share = Math.min(HEAD_DOCUMENT, Math.floor(free() / Math.max(1, split.length)));
  for (const piece of split) {
    const short = shortInHead(piece, share);
    if (short !== null) inHead.add({ key: piece.key, entry: piece.entry, text: short });
  }
  return { head: headOf(result, [...inHead], [...joins, ...marks]), parts, notes: [...marks, ...moved] };
}

function prepare(result: Result, marks: string[]): Piece[] {
  const taken = new Set([NOTES_KEY]);
  const pieces: Piece[] = [];
  for (const entry of result.entries) {
    const key = legalKey(entry.key, taken);
    taken.add(key);
    if ('text' in entry) {
      const clean = cleanText(entry.text);
      if (clean.replaced > 0) marks.push(replacedNote(key, clean.replaced));
      const size = Buffer.byteLength(clean.text);
      if (size <= WHOLE_LIMIT) {
        pieces.push({ key, entry, text: clean.text });
        continue;
      }
      marks.push(cutNote(key, size, entry.wholeAt));
      pieces.push({ key, entry, text: cut(entry, clean.text, size) });
    } else if (entry.bytes === null || entry.bytes.length > WHOLE_LIMIT) {
      marks.push(leftOutNote(key, entry.size, entry.wholeAt));
    } else {
      pieces.push({ key, entry, bytes: entry.bytes });
    }
  }
  return pieces;
}

function cut(entry: TextEntry, text: string, size: number): string {
  const short = entry.shorten?.(text, (candidate) => Buffer.byteLength(candidate) <= WHOLE_LIMIT) ?? null;
  if (short !== null) return short;
  const beginning = textBeginning(text, WHOLE_LIMIT - MARK_ALLOWANCE);
  const shown = inWords(Buffer.byteLength(beginning));
  return `${beginning}\n[cut here: the first ${shown} of ${inWords(size)}. ${entry.wholeAt}]\n`;
}

function shortInHead(piece: Piece, limit: number): string | null {
  if (!('text' in piece && 'text' in piece.entry)) return null;
  const room = limit - keySize(piece.key);
  return piece.entry.shorten?.(piece.text, (candidate) => textSize(candidate) <= room) ?? null;
}

function pieceSize(piece: Piece): number {
  return keySize(piece.key) + ('text' in piece ? textSize(piece.text) : binarySize(piece.bytes.length));
}

function partsOf(result: Result, piece: Piece, first: number): ConfigMapContent[] {
  // Part numbers never pass four digits: each entry is at most WHOLE_LIMIT.
  const room = OBJECT_BUDGET - emptyObjectSize(`${result.name}-0000`, result.namespace) - keySize(piece.key);
  const part = (index: number) => ({ name: `${result.name}-${first + index}`, namespace: result.namespace });
  return 'text' in piece
    ? sliceText(piece.text, room).map((slice, index) => ({ ...part(index), data: { [piece.key]: slice } }))
    : sliceBytes(piece.bytes, room).map((slice, index) => ({
        ...part(index),
        binaryData: { [piece.key]: slice },
      }));
}

function headOf(result: Result, pieces: readonly Piece[], notes: readonly string[]): ConfigMapContent {
  const data: Record<string, string> = {};
  const binaryData: Record<string, Uint8Array> = {};
  for (const piece of pieces) {
    if ('text' in piece) data[piece.key] = piece.text;
    else binaryData[piece.key] = piece.bytes;
  }
  if (notes.length > 0) data[NOTES_KEY] = `${notes.join('\n\n')}\n`;
  return {
    name: result.name,
    namespace: result.namespace,
    ...(Object.keys(data).length > 0 ? { data } : {}),
    ...(Object.keys(binaryData).length > 0 ? { binaryData } : {}),
  };
}
