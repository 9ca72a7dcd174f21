import { isMap, isPair, isScalar, isSeq, type Pair, parseDocument, type Scalar } from 'yaml';
import { HOLE } from './rows.ts';

/** A scalar in a line, at offsets in that line. */
export interface ScalarPlace {
  readonly start: number;
  readonly end: number;
  /** As it is written, with quotes. */
  readonly text: string;
  readonly value: unknown;
  /** Key of the nearest map around it. */
  readonly key: string;
}

/** A member of a map or list in a line. */
export interface MemberPlace {
  readonly kind: 'key' | 'item';
  /** In braces or brackets. */
  readonly flow: boolean;
  /** Where it starts: the key's first letter, the dash, or the member's first character. */
  readonly start: number;
  /** Behind its value in this line. */
  readonly end: number;
  /** The key, or the key that holds the list. */
  readonly key: string;
  /** A key without a value in this line. */
  readonly bare: boolean;
}

/** What a line of YAML holds, or nothing when it is prose. */
export interface Line {
  readonly members: readonly MemberPlace[];
  readonly scalars: readonly ScalarPlace[];
}

const KEY = new RegExp(`^[\\w.$/${HOLE}-]+$`);

/**
 * Reads one line of YAML by itself.
 * @param masked the line, with a HOLE for every character of an action
 * @returns undefined when it is no map or list: words for people, or the rest of something
 */
export const readLine = (masked: string): Line | undefined => {
  const document = parseDocument(masked, { version: '1.1', logLevel: 'silent' });
  const root = document.contents;
  if (document.errors.length > 0 || !(isMap(root) || isSeq(root))) return undefined;
  const members: MemberPlace[] = [];
  const scalars: ScalarPlace[] = [];
  visit(root, '', masked, members, scalars);
  const [first] = members;
  return first?.kind === 'key' && !first.flow && !KEY.test(first.key) ? undefined : { members, scalars };
};

const visit = (
  node: unknown,
  key: string,
  masked: string,
  members: MemberPlace[],
  scalars: ScalarPlace[],
): void => {
  if (isMap(node)) {
    for (const pair of node.items) visitPair(pair, node.flow === true, masked, members, scalars);
  } else if (isSeq(node)) {
    for (const item of node.items) {
      const range = rangeOf(item);
      if (range === undefined) continue;
      const flow = node.flow === true;
      const start = flow ? range[0] : masked.lastIndexOf('-', range[0] - 1);
      members.push({ kind: 'item', flow, start, end: range[1], key, bare: false });
      if (isPair(item)) visitPair(item, flow, masked, members, scalars);
      else visit(item, key, masked, members, scalars);
    }
  } else if (isScalar(node) && node.range != null) {
    const [start, end] = node.range;
    scalars.push({ start, end, text: masked.slice(start, end), value: node.value, key });
  }
};

const visitPair = (
  pair: Pair,
  flow: boolean,
  masked: string,
  members: MemberPlace[],
  scalars: ScalarPlace[],
): void => {
  const keyRange = rangeOf(pair.key);
  if (keyRange === undefined || !isScalar(pair.key)) return;
  const key = String((pair.key as Scalar).value);
  const valueRange = rangeOf(pair.value);
  const bare = isScalar(pair.value) && pair.value.value === null && pair.value.source === '';
  const end = valueRange === undefined || bare ? masked.indexOf(':', keyRange[1]) + 1 : valueRange[1];
  members.push({ kind: 'key', flow, start: keyRange[0], end, key, bare: bare || pair.value == null });
  if (!bare) visit(pair.value, key, masked, members, scalars);
};

const rangeOf = (node: unknown): readonly [number, number] | undefined => {
  if (isPair(node)) {
    const start = rangeOf(node.key);
    const end = rangeOf(node.value) ?? start;
    return start === undefined || end === undefined ? undefined : [start[0], end[1]];
  }
  const range = (node as { range?: readonly [number, number, number] | null } | null)?.range;
  return range == null ? undefined : [range[0], range[1]];
};
