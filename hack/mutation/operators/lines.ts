import { extentOf, HOLE, type MemberPlace, type Row, readLine, rowLists } from '../yaml/index.ts';
import type { Mutation, Operator } from './mutation.ts';
import { changed } from './words.ts';

/** What stands in the text of a template: keys, list items, values, and lines for people. */
export const mutateLines: Operator = ({ path, template }) => {
  const isProse = path.endsWith('.txt');
  return rowLists(template).flatMap((rows) =>
    rows.flatMap((row, index) => {
      if (row.kind !== 'text') return [];
      const line = isProse ? undefined : readLine(row.masked);
      if (line === undefined) return dropProse(row);
      const members = line.members.map((member) => dropMember(rows, index, member));
      const scalars = line.scalars.flatMap((scalar): readonly Mutation[] => {
        const { start, end, text, value, key } = scalar;
        if (text.includes(HOLE)) return [];
        const change = changed(key, value);
        if (change === undefined) return [];
        const span = { start: row.start + start, end: row.start + end };
        return [{ operator: change.operator, ...span, replacement: written(text, change.value) }];
      });
      return [...members, ...scalars];
    }),
  );
};

/** A line that is no YAML goes as a whole; one that makes a name loses each piece by itself too. */
const dropProse = (row: Row): readonly Mutation[] => {
  const whole: Mutation = { operator: 'drop-line', start: row.start, end: row.end, replacement: '' };
  const pieces = [...row.masked.matchAll(new RegExp(`[^${HOLE}]+`, 'g'))];
  const words = pieces.filter(([text]) => text.trim() !== '');
  if (row.nodes.length === 0 || words.some(([text]) => /\S\s+\S/.test(text.trim()))) return [whole];
  return words.map((piece) => {
    const text = piece[0].trim();
    const start = row.start + piece.index + piece[0].indexOf(text);
    return { operator: 'drop-line', start, end: start + text.length, replacement: '' };
  });
};

const dropMember = (rows: readonly Row[], index: number, member: MemberPlace): Mutation => {
  const operator = member.kind === 'key' ? 'drop-key' : 'drop-item';
  const row = rows[index];
  if (row === undefined) throw new RangeError('no such row');
  if (member.flow) return { operator, ...withComma(row, member), replacement: '' };
  const kind = member.kind === 'item' ? 'item' : member.bare ? 'bare key' : 'key';
  const column = member.start;
  const extent = extentOf(rows, index, column, kind);
  // A key right behind a dash: the item goes on with its next key, which takes the place behind the dash.
  const isFirstOfItem = member.kind === 'key' && /-\s+$/.test(row.masked.slice(0, column));
  if (!isFirstOfItem) return { operator, ...extent, replacement: '' };
  const next = rows.find(({ start }) => start >= extent.end);
  const joins = next?.kind === 'text' && next.indent === column;
  const end = joins ? extent.end + column : extent.end;
  return { operator, start: row.start + column, end, replacement: joins ? '' : '{}\n' };
};

/** A member in braces or brackets, with the comma behind it or, for the last, the one before it. */
const withComma = ({ start, masked }: Row, member: MemberPlace) => {
  const behind = /^\s*,\s*/.exec(masked.slice(member.end))?.[0];
  if (behind !== undefined) return { start: start + member.start, end: start + member.end + behind.length };
  const before = /,\s*$/.exec(masked.slice(0, member.start))?.[0] ?? '';
  return { start: start + member.start - before.length, end: start + member.end };
};

/** A value as YAML, in the quotes that the one before it had. */
const written = (before: string, value: string | number | boolean): string => {
  if (typeof value !== 'string') return String(value);
  if (before.startsWith('"') || value === '') return JSON.stringify(value);
  if (before.startsWith("'")) return `'${value.replaceAll("'", "''")}'`;
  return value;
};
