import { expect, test } from 'vitest';
import { createMask } from '../../src/runner/mask.ts';
import { createLineSplitter, LONGEST_LINE } from '../../src/runner/ports/lines.ts';

const split = (chunks: readonly (string | Uint8Array)[], mask = (text: string): string => text): string[] => {
  const lines: string[] = [];
  const splitter = createLineSplitter(mask, (line) => lines.push(line));
  for (const chunk of chunks) {
    splitter.write(Buffer.from(chunk));
  }
  splitter.end();
  return lines;
};

test('lines come whole however the bytes are cut', () => {
  const text = 'one\r\ntwo ✓ ü\n\nlast without end';
  const bytes = Buffer.from(text);
  const lines = ['one', 'two ✓ ü', '', 'last without end'];
  expect(split([bytes])).toEqual(lines);
  expect(split([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(lines);
});

test('no output is no line', () => {
  expect(split([])).toEqual([]);
});

test('colours, window titles and control characters are taken out, tabs kept', () => {
  expect(split(['\u001b[32m✓\u001b[0m ok\t\u0000\u0007\u001b]0;title\u0007end\n'])).toEqual(['✓ ok\tend']);
});

test('of a progress bar the last state is kept', () => {
  expect(split(['10%\r50%\r100%\n'])).toEqual(['100%']);
});

test('bytes that are no UTF-8 do not break the line', () => {
  expect(split([Uint8Array.of(0x61, 0xff, 0xfe, 0x62, 0x0a)])).toEqual(['a��b']);
});

test('a line that is too long is cut, and says so', () => {
  const [line, next] = split([...Array.from({ length: 100 }, () => 'x'.repeat(10_000)), '\nnext\n']);
  expect(line).toBe(`${'x'.repeat(LONGEST_LINE)} [cut: the line has 1000000 characters]`);
  expect(next).toBe('next');
});

test('a line of just the greatest length is whole, and the next one begins anew', () => {
  const long = 'x'.repeat(LONGEST_LINE);
  expect(split([`${long}\n`, `${long}y\n`, `${long}\n`])).toEqual([
    long,
    `${long} [cut: the line has ${LONGEST_LINE + 1} characters]`,
    long,
  ]);
});

test('of a line without end no more is kept than 8 KiB beyond its cut', () => {
  const masked: number[] = [];
  const seen = (text: string): string => {
    masked.push(text.length);
    return text;
  };
  split([...Array.from({ length: 20 }, () => 'x'.repeat(50_000)), '\n', 'y'.repeat(200_000)], seen);
  expect(masked).toEqual([LONGEST_LINE + 8192, LONGEST_LINE + 8192]);
});

test('a chunk that is a part of a larger buffer is read as that part', () => {
  const lines: string[] = [];
  const splitter = createLineSplitter(
    (text) => text,
    (line) => lines.push(line),
  );
  splitter.write(new TextEncoder().encode('xxone\ntwoxx').subarray(2, 9));
  splitter.end();
  expect(lines).toEqual(['one', 'two']);
});

test('a character whose end never comes is a mark', () => {
  expect(split([Uint8Array.of(0xe2, 0x9c)])).toEqual(['\ufffd']);
});

test('a carriage return at the end of a line takes nothing away', () => {
  expect(split(['a\rbc\r\nd\r'])).toEqual(['bc', 'd']);
});

test('a secret across the cut is masked whole', () => {
  const mask = createMask();
  mask.add('a-secret-of-some-length');
  const [line] = split(
    [`${'x'.repeat(LONGEST_LINE - 10)} a-secret-of-some-length ${'y'.repeat(100)}\n`],
    mask.apply,
  );
  expect(line).not.toContain('a-secret');
});
