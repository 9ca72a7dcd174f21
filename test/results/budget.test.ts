import { describe, expect, it } from 'vitest';
import { binarySize, emptyObjectSize, inWords, keySize, textSize } from '../../src/runner/results/budget.ts';

describe('what takes room in a ConfigMap', () => {
  it.each(['', 'plain', '"quoted"\n', 'ü 😀', '\u0001\ud800'])('%j is counted as JSON has it', (text) => {
    expect(textSize(text)).toBe(Buffer.from(JSON.stringify({ a: text })).length - '{"a":}'.length);
  });

  it.each([0, 1, 2, 3, 4, 300])('%d bytes are counted as JSON has their base64', (length) => {
    const json = JSON.stringify(Buffer.alloc(length).toString('base64'));
    expect(binarySize(length)).toBe(json.length);
  });

  it.each(['a', 'evidence.tgz', 'x'.repeat(253)])(
    'the key %s is counted with its entry in the managed fields, and little more',
    (key) => {
      const written = `${JSON.stringify(key)}:,${JSON.stringify({ [`f:${key}`]: {} })},`.length;
      expect(keySize(key)).toBeGreaterThanOrEqual(written);
      expect(keySize(key)).toBeLessThan(written + 24);
    },
  );

  it('an empty one has its names, and 2 KiB for what others add', () => {
    expect(emptyObjectSize('name', 'namespace')).toBe(2048 + 4 + 9);
  });
});

it.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KiB'],
  [3482, '3.4 KiB'],
  [1024 * 1024 - 1, '1024.0 KiB'],
  [1024 * 1024, '1.0 MiB'],
  [1024 * 1024 * 8.25, '8.3 MiB'],
])('%d bytes are %s for people', (bytes, words) => {
  expect(inWords(bytes)).toBe(words);
});
