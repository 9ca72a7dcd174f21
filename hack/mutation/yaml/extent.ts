import type { Span } from '../template/index.ts';
import type { Row } from './rows.ts';

/**
 * The rows that go with a key or a list item: all below it that are indented deeper.
 * @param rows of one body
 * @param index which of them the key or item starts in
 * @param column of the key's first letter or the item's dash
 * @param kind below a key without a value, list items may stand in the key's own column
 */
export const extentOf = (
  rows: readonly Row[],
  index: number,
  column: number,
  kind: 'key' | 'bare key' | 'item',
): Span => {
  const start = rows[index]?.start ?? 0;
  let end = rows[index]?.end ?? 0;
  for (const row of rows.slice(index + 1)) {
    if (row.kind === 'blank' || row.kind === 'comment') continue;
    if (row.indent === undefined) break;
    const isItem = /^\s*- /.test(row.masked);
    const deeper = row.indent > column || (kind === 'bare key' && isItem && row.indent === column);
    if (!deeper) break;
    end = row.end;
  }
  return { start, end };
};
