import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOTES_KEY } from '../../src/contract/index.ts';
import type { ConfigMapContent } from '../../src/runner/ports/index.ts';
import { textSize } from '../../src/runner/results/budget.ts';
import {
  type Layout,
  layOut,
  OBJECT_BUDGET,
  type ResultEntry,
  WHOLE_LIMIT,
} from '../../src/runner/results/index.ts';
import { sliceText } from '../../src/runner/results/slices.ts';

const KIB = 1024;
const wholeAt = 'The registry keeps the whole.';
const layout = (...entries: ResultEntry[]): Layout =>
  layOut({ name: 'aicr-result', namespace: 'gpu', entries, keys: [], value: 'recipeConfigMap' });
const text = (key: string, value: string | Uint8Array, more = {}): ResultEntry => ({
  key,
  text: value,
  wholeAt,
  ...more,
});
const binary = (key: string, bytes: Uint8Array): ResultEntry => ({ key, bytes, size: bytes.length, wholeAt });

/** The object as it travels to the API server. */
function jsonSize({ name, namespace, data, binaryData }: ConfigMapContent): number {
  const encoded = Object.entries(binaryData ?? {}).map(([key, bytes]) => [
    key,
    Buffer.from(bytes).toString('base64'),
  ]);
  const labels = {
    'nvidia-aicr/written-by': 'run',
    'nvidia-aicr/release': 'r'.repeat(53),
    'nvidia-aicr/part': '10-of-10',
  };
  const metadata = { name, namespace, labels };
  return Buffer.byteLength(
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata,
      data,
      binaryData: Object.fromEntries(encoded),
    }),
  );
}

const all = ({ head, parts }: Layout): readonly ConfigMapContent[] => [head, ...parts];
const joinText = ({ parts }: Layout, key: string): string =>
  parts.map(({ data }) => data?.[key] ?? '').join('');
const joinBytes = ({ parts }: Layout, key: string): Buffer =>
  Buffer.concat(parts.map(({ binaryData }) => binaryData?.[key] ?? new Uint8Array()));

describe('a result that fits', () => {
  it('is one ConfigMap, text under data and binary under binaryData, as they came', () => {
    const bytes = randomBytes(1000);
    const made = layout(text('summary.txt', 'all well\n'), binary('evidence.tgz', bytes));
    expect(made).toEqual({
      head: {
        name: 'aicr-result',
        namespace: 'gpu',
        data: { 'summary.txt': 'all well\n' },
        binaryData: { 'evidence.tgz': bytes },
      },
      parts: [],
      notes: [],
    });
  });

  it('says what it had to replace', () => {
    const { head, notes } = layout(text('log.txt', Uint8Array.from([0x41, 0xff])));
    expect(head.data?.['log.txt']).toBe('A\ufffd');
    expect(notes).toEqual([expect.stringContaining('log.txt')]);
    expect(head.data?.[NOTES_KEY]).toContain('log.txt: 1 bytes that are no text');
  });
});

describe('a result larger than one ConfigMap', () => {
  it('is split into parts that join to the same bytes, with the rest left in the head', () => {
    const bytes = randomBytes(2_500_000);
    const made = layout(text('summary.txt', 'small'), binary('evidence.tgz', bytes));
    expect(made.parts.map(({ name }) => name)).toEqual([
      'aicr-result-1',
      'aicr-result-2',
      'aicr-result-3',
      'aicr-result-4',
    ]);
    expect(joinBytes(made, 'evidence.tgz').equals(bytes)).toBe(true);
    expect(made.head.data?.['summary.txt']).toBe('small');
    expect(made.head.binaryData).toBeUndefined();
    expect(made.head.data?.[NOTES_KEY]).toContain(createHash('sha256').update(bytes).digest('hex'));
  });

  it('counts what base64 and JSON make of it', () => {
    // 700 KiB are 934 KiB in base64; 500 KiB of quotes are 1,000 KiB in JSON.
    expect(layout(binary('evidence.tgz', randomBytes(700 * KIB))).parts).toHaveLength(2);
    expect(layout(text('quotes.txt', '"'.repeat(500 * KIB))).parts).toHaveLength(2);
    expect(layout(text('plain.txt', 'x'.repeat(850 * KIB))).parts).toHaveLength(0);
  });

  it('is split at line ends where there are any, and never inside a character', () => {
    const lines = Array.from({ length: 60_000 }, (_, number) => `${number} 😀 zeile "ü"\n`).join('');
    const made = layout(text('recipe.yaml', lines));
    expect(made.parts.length).toBeGreaterThan(1);
    for (const part of made.parts) expect(part.data?.['recipe.yaml']).toMatch(/\n$/);
    expect(joinText(made, 'recipe.yaml')).toBe(lines);
    const one = '😀'.repeat(400_000);
    const wide = layout(text('one-line.txt', one));
    expect(joinText(wide, 'one-line.txt')).toBe(one);
    for (const part of wide.parts)
      expect(part.data?.['one-line.txt']).not.toMatch(/^[\udc00-\udfff]|[\ud800-\udbff]$/);
  });

  it('has a shortened document in the head where one can be made', () => {
    const shorten = (whole: string, fits: (candidate: string) => boolean) => {
      const short = `short of ${whole.length}`;
      return fits(short) && !fits(whole) ? short : null;
    };
    const whole = 'y'.repeat(1_200_000);
    const made = layout(text('ctrf.json', whole, { shorten }));
    expect(made.head.data?.['ctrf.json']).toBe('short of 1200000');
    expect(joinText(made, 'ctrf.json')).toBe(whole);
  });

  it('of several entries numbers the parts through', () => {
    const [first, second] = [randomBytes(1_000_000), randomBytes(900_000)];
    const made = layout(binary('a.bin', first), binary('b.bin', second));
    expect(joinBytes(made, 'a.bin').equals(first)).toBe(true);
    expect(joinBytes(made, 'b.bin').equals(second)).toBe(true);
    expect(made.parts.map(({ name }) => name)).toEqual(
      made.parts.map((_, index) => `aicr-result-${index + 1}`),
    );
  });
});

describe('a result larger than what is kept whole', () => {
  it('is left out when binary, with a mark that says what, how big, and where the whole is', () => {
    const made = layout(text('pointer.yaml', 'x'), {
      key: 'evidence.tgz',
      bytes: null,
      size: 9 * KIB * KIB,
      wholeAt,
    });
    expect(made.parts).toEqual([]);
    expect(made.head.data).toEqual({
      'pointer.yaml': 'x',
      [NOTES_KEY]: expect.stringMatching(
        /evidence\.tgz is 9\.0 MiB and was left out.*The registry keeps the whole/,
      ),
    });
    expect(made.notes).toHaveLength(1);
  });

  it('is cut after a whole line when text, and says so at its end', () => {
    const whole = 'a line of text\n'.repeat(700_000);
    const made = layout(text('recipe.yaml', whole));
    const joined = joinText(made, 'recipe.yaml');
    expect(Buffer.byteLength(joined)).toBeLessThanOrEqual(WHOLE_LIMIT);
    const mark = joined.slice(joined.lastIndexOf('\n['));
    expect(mark).toMatch(
      /^\n\[cut here: the first 8\.0 MiB of 10\.0 MiB\. The registry keeps the whole\.\]\n$/,
    );
    expect(whole.startsWith(joined.slice(0, -mark.length))).toBe(true);
    expect(made.head.data?.[NOTES_KEY]).toContain('recipe.yaml is 10.0 MiB and was cut');
  });
});

it('no ConfigMap is ever above the budget', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          size: fc.integer({ min: 0, max: 1_500_000 }),
          piece: fc.constantFrom('x', '"', 'é\n', '😀', '{"a": "b"}\n', '\u0001'),
          isBinary: fc.boolean(),
        }),
        { maxLength: 4 },
      ),
      (wanted) => {
        const entries = wanted.map(({ size, piece, isBinary }, index) =>
          isBinary
            ? binary(`key-${index}`, Buffer.alloc(size))
            : text(`key-${index}`, piece.repeat(size / piece.length)),
        );
        const made = layout(...entries);
        for (const configMap of all(made)) expect(jsonSize(configMap)).toBeLessThanOrEqual(OBJECT_BUDGET);
      },
    ),
    { numRuns: 12 },
  );
});

it('slices of a text join to it, each within its limit', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 400 }),
      fc.integer({ min: 16, max: 100 }),
      (whole, limit) => {
        const slices = sliceText(whole, limit);
        expect(slices.join('')).toBe(whole);
        for (const slice of slices) expect(textSize(slice)).toBeLessThanOrEqual(limit);
      },
    ),
  );
});
