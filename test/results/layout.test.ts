import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOTES_KEY } from '../../src/contract/index.ts';
import type { ResultEntry } from '../../src/runner/results/index.ts';
import { binary, joinBytes, joinText, jsonSize, layout, text } from './laid-out.ts';

const KIB = 1024;
/** Small, so that a case takes milliseconds; layout-size.test.ts has the real sizes. */
const SMALL = { object: 32 * KIB, whole: 200 * KIB, document: 12 * KIB };
const lay = (...entries: ResultEntry[]) => layout(entries, SMALL);
/** What an entry under a key of one character may have at most to stay in the head. */
const MOST_IN_HEAD = SMALL.object - 2048 - 'aicr-result'.length - 'gpu'.length - 26;
const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

describe('a result that fits', () => {
  it('is one ConfigMap, text under data and binary under binaryData, as they came', () => {
    const bytes = randomBytes(1000);
    expect(lay(text('summary.txt', 'all well\n'), binary('evidence.tgz', bytes))).toEqual({
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

  it('has no data without texts, and no binaryData without binaries', () => {
    expect(lay(binary('a', new Uint8Array(1))).head).not.toHaveProperty('data');
    expect(lay(text('a', 'b')).head).not.toHaveProperty('binaryData');
  });

  it('says what it had to replace', () => {
    const said = 'log.txt: 1 bytes that are no text were replaced by visible marks';
    const { head, notes } = lay(text('log.txt', Uint8Array.from([0x41, 0xff])));
    expect(head.data).toEqual({ 'log.txt': 'A\ufffd', [NOTES_KEY]: `${said}\n` });
    expect(notes).toEqual([said]);
  });

  it('has legal keys, each another one, and none that is the notes’', () => {
    const { head } = lay(text('a b', '1'), text('a/b', '2'), text(NOTES_KEY, '3'));
    expect(head.data).toEqual({ 'a-b': '1', 'a-b-2': '2', [`${NOTES_KEY}-2`]: '3' });
  });

  it('fits to the last byte, as JSON and as base64', () => {
    // Two of the bytes are quotes.
    const most = MOST_IN_HEAD - 2;
    expect(lay(text('a', 'x'.repeat(most))).parts).toEqual([]);
    expect(lay(text('a', 'x'.repeat(most + 1))).parts).not.toEqual([]);
    const mostBytes = Math.floor(most / 4) * 3;
    expect(lay(binary('a', new Uint8Array(mostBytes))).parts).toEqual([]);
    expect(lay(binary('a', new Uint8Array(mostBytes + 1))).parts).not.toEqual([]);
    // What is said of replaced characters takes room, too.
    expect(lay(text('a', `\u0007${'x'.repeat(most - 3)}`)).parts).not.toEqual([]);
  });
});

describe('a result larger than one ConfigMap', () => {
  it('is split into parts that join to the same bytes, with the rest left in the head', () => {
    const bytes = randomBytes(50_000);
    const made = lay(text('summary.txt', 'small'), binary('evidence.tgz', bytes));
    expect(made.parts.map(({ name, namespace }) => [name, namespace])).toEqual([
      ['aicr-result-1', 'gpu'],
      ['aicr-result-2', 'gpu'],
      ['aicr-result-3', 'gpu'],
    ]);
    expect(joinBytes(made, 'evidence.tgz').equals(bytes)).toBe(true);
    expect(made.head).toEqual({
      name: 'aicr-result',
      namespace: 'gpu',
      data: {
        'summary.txt': 'small',
        [NOTES_KEY]: `evidence.tgz is 48.8 KiB, too large for one ConfigMap. The whole is in aicr-result-1 to aicr-result-3. Join it with:
  for i in 1 2 3; do kubectl get configmap aicr-result-$i -n gpu -o jsonpath='{.binaryData.evidence\\.tgz}' | base64 -d; done > evidence.tgz
sha256 of the joined file: ${sha256(bytes)}
`,
      },
    });
    expect(made.notes).toEqual(['evidence.tgz is split over aicr-result-1 to aicr-result-3']);
  });

  it('of text is split at line ends, and its join needs no base64', () => {
    const lines = Array.from({ length: 4000 }, (_, number) => `${number} 😀 zeile "ü"\n`).join('');
    const made = lay(text('recipe.yaml', lines));
    expect(made.parts.length).toBeGreaterThan(3);
    for (const part of made.parts) expect(part.data?.['recipe.yaml']).toMatch(/\n$/);
    expect(joinText(made, 'recipe.yaml')).toBe(lines);
    expect(made.head.data?.[NOTES_KEY]).toContain(
      "-o jsonpath='{.data.recipe\\.yaml}'; done > recipe.yaml\nsha256",
    );
    expect(made.head.data?.[NOTES_KEY]).toContain(sha256(lines));
    expect(Object.keys(made.head.data ?? {})).toEqual([NOTES_KEY]);
  });

  it('fills each part as far as a head would be, with room for the number in its name', () => {
    const [first] = lay(text('a', 'x'.repeat(40_000))).parts;
    expect(first?.data?.['a']).toHaveLength(MOST_IN_HEAD - '-0000'.length - 2);
  });

  it('of several entries loses the largest first, of two equal ones the later, and numbers the parts through', () => {
    const [first, second, third] = [randomBytes(15_000), randomBytes(14_000), randomBytes(15_000)];
    const made = lay(binary('a', first), binary('b', second), binary('c', third));
    expect(made.notes).toEqual([
      'c is split over aicr-result-1 to aicr-result-1',
      'a is split over aicr-result-2 to aicr-result-2',
    ]);
    expect(made.parts.map(({ binaryData }) => Object.keys(binaryData ?? {}))).toEqual([['c'], ['a']]);
    expect(joinBytes(made, 'a').equals(first)).toBe(true);
    expect(joinBytes(made, 'c').equals(third)).toBe(true);
    expect(Object.keys(made.head.binaryData ?? {})).toEqual(['b']);
    expect(made.head.data?.[NOTES_KEY]).toMatch(/^c is 14\.6 KiB.*\n\na is 14\.6 KiB.*[0-9a-f]{64}\n$/s);
  });
});

describe('a document that is too long for the head', () => {
  /** Shortens to as much as fits. */
  const shorten = (whole: string, fits: (candidate: string) => boolean): string | null => {
    let [low, high] = [0, whole.length];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (fits(whole.slice(0, middle))) low = middle;
      else high = middle - 1;
    }
    return low === 0 ? null : whole.slice(0, low);
  };

  it('is there in short, and whole in the parts', () => {
    const whole = 'y'.repeat(40_000);
    const made = lay(text('ctrf.json', whole, { shorten }));
    expect(joinText(made, 'ctrf.json')).toBe(whole);
    // Its key and its quotes are part of what a short document may have.
    expect(made.head.data?.['ctrf.json']).toBe('y'.repeat(SMALL.document - 42 - 2));
  });

  it('shares what is left with the others, and with what stays', () => {
    const whole = 'y'.repeat(40_000);
    const rest = 'z'.repeat(10_000);
    const made = lay(text('a', whole, { shorten }), text('b', whole, { shorten }), text('c', rest));
    const free = MOST_IN_HEAD - 8 * KIB - (rest.length + 2);
    const shown = 'y'.repeat(Math.floor(free / 2) - 26 - 2);
    expect(made.head.data).toMatchObject({ a: shown, b: shown, c: rest });
    expect(jsonSize(made.head)).toBeLessThanOrEqual(SMALL.object);
  });

  it('is not there where it cannot be shortened', () => {
    const whole = 'y'.repeat(40_000);
    const made = lay(
      text('a', whole),
      text('b', whole, { shorten: () => null }),
      binary('c', randomBytes(40_000)),
    );
    expect(Object.keys(made.head.data ?? {})).toEqual([NOTES_KEY]);
    expect(made.head.binaryData).toBeUndefined();
  });
});

describe('a result larger than what is kept whole', () => {
  it.each([
    ['was read', new Uint8Array(SMALL.whole + 1)],
    ['was not read', null],
  ])(
    'is left out when it is binary and %s, with a mark that says what, how big, and where the whole is',
    (_, bytes) => {
      const made = lay(text('pointer.yaml', 'x'), {
        key: 'evidence.tgz',
        bytes,
        size: 9 * KIB * KIB,
        wholeAt: 'There.',
      });
      const said =
        'evidence.tgz is 9.0 MiB and was left out: ConfigMaps of this run hold up to 200.0 KiB. There.';
      expect(made).toEqual({
        head: {
          name: 'aicr-result',
          namespace: 'gpu',
          data: { 'pointer.yaml': 'x', [NOTES_KEY]: `${said}\n` },
        },
        parts: [],
        notes: [said],
      });
    },
  );

  it('is kept when it is just as large', () => {
    expect(lay(binary('a', new Uint8Array(SMALL.whole))).notes).toEqual([
      expect.stringContaining('is split'),
    ]);
    const whole = 'x'.repeat(SMALL.whole);
    const made = lay(text('a', whole));
    expect(made.notes).toEqual([expect.stringContaining('is split')]);
    expect(joinText(made, 'a')).toBe(whole);
  });

  it('is cut after a whole line when text, and says so at its end and in the notes', () => {
    const whole = 'a line of text\n'.repeat(15_000);
    const made = lay(text('recipe.yaml', whole));
    const joined = joinText(made, 'recipe.yaml');
    expect(Buffer.byteLength(joined)).toBeLessThanOrEqual(SMALL.whole);
    const mark = '\n[cut here: the first 199.5 KiB of 219.7 KiB. The registry keeps the whole.]\n';
    expect(joined).toBe('a line of text\n'.repeat(13_619) + mark);
    const said = 'recipe.yaml is 219.7 KiB and was cut. The registry keeps the whole.';
    expect(made.notes[0]).toBe(said);
    expect(made.head.data?.[NOTES_KEY]).toMatch(
      /^recipe\.yaml is 199\.6 KiB, too large.*\n\nrecipe\.yaml is/s,
    );
    expect(made.head.data?.[NOTES_KEY]?.endsWith(`\n\n${said}\n`)).toBe(true);
  });

  it('is shortened instead of cut where it can be, to what is kept whole', () => {
    const shorten = (whole: string, fits: (candidate: string) => boolean): string | null =>
      [SMALL.whole + 1, SMALL.whole].map((length) => whole.slice(0, length)).find(fits) ?? null;
    const made = lay(text('a', 'é'.repeat(SMALL.whole) + 'x'.repeat(2), { shorten }));
    expect(joinText(made, 'a')).toMatch(/\[cut here: the first 199\.5 KiB of 400\.0 KiB\. .*\]\n$/);
    expect(joinText(lay(text('a', 'x'.repeat(SMALL.whole + 2), { shorten })), 'a')).toBe(
      'x'.repeat(SMALL.whole),
    );
  });
});

it('no ConfigMap is ever above the budget', () => {
  const entry = fc.record({
    size: fc.integer({ min: 0, max: 60_000 }),
    piece: fc.constantFrom('x', '"', 'é\n', '😀', '{"a": "b"}\n', '\u0001'),
    isBinary: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 4 }), (wanted) => {
      const entries = wanted.map(({ size, piece, isBinary }, index) =>
        isBinary
          ? binary(`key-${index}`, Buffer.alloc(size))
          : text(`key-${index}`, piece.repeat(size / piece.length)),
      );
      const { head, parts } = lay(...entries);
      for (const configMap of [head, ...parts]) expect(jsonSize(configMap)).toBeLessThanOrEqual(SMALL.object);
    }),
    { numRuns: 30, endOnFailure: true },
  );
});
