import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanText } from '../../src/runner/results/index.ts';
import { legalKey } from '../../src/runner/results/keys.ts';

const clean = (...bytes: number[]) => cleanText(Uint8Array.from(bytes));

describe('text for a ConfigMap', () => {
  it('stays as it came when it is text', () => {
    const text = 'gpu: 8 × H200\r\n\tü 😀 \ufffd\n';
    expect(cleanText(text)).toEqual({ text, replaced: 0 });
    expect(cleanText(Buffer.from(text))).toEqual({ text, replaced: 0 });
    expect(clean(0xef, 0xbb, 0xbf, 0x41)).toEqual({ text: '\ufeffA', replaced: 0 });
  });

  it('shows control characters as their pictures, and bytes that are no UTF-8 as marks', () => {
    expect(clean(0xff, 0xfe, 0x00, 0x1b)).toEqual({ text: '\ufffd\ufffd␀␛', replaced: 4 });
    expect(clean(0x41, 0x0d, 0x42, 0x7f)).toEqual({ text: 'A␍B␡', replaced: 2 });
    expect(cleanText('a\ud800b\udc00')).toEqual({ text: 'a\ufffdb\ufffd', replaced: 2 });
  });

  it.each([
    ['\u0008\u000b\u000c\u000e\u001f', '␈␋␌␎␟'],
    ['\u0080\u009f', '\ufffd\ufffd'],
  ])('replaces each control character: %j', (text, shown) => {
    expect(cleanText(`a${text}b`)).toEqual({ text: `a${shown}b`, replaced: text.length });
  });

  it('counts no mark that was there before', () => {
    expect(clean(0xef, 0xbf, 0xbd, 0xff, 0x0a)).toEqual({ text: '\ufffd\ufffd\n', replaced: 1 });
    const larger = Buffer.from('\ufffd!\ufffd');
    expect(cleanText(larger.subarray(3))).toEqual({ text: '!\ufffd', replaced: 0 });
  });

  it('keeps or makes a JSON document of one whose strings hold odd bytes', () => {
    const bytes = Buffer.concat([Buffer.from('{"a":"x'), Buffer.from([0x1b, 0xff, 0x00]), Buffer.from('"}')]);
    expect(JSON.parse(cleanText(bytes).text)).toEqual({ a: 'x␛\ufffd␀' });
  });

  it('is never anything that JSON, YAML or the API server would change', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const { text } = cleanText(bytes);
        expect(Buffer.from(text).toString('utf8')).toBe(text);
        expect(cleanText(text)).toEqual({ text, replaced: 0 });
      }),
    );
  });
});

describe('a key of a ConfigMap', () => {
  it.each([
    ['ctrf.json', 'ctrf.json'],
    ['gpu/driver check:1', 'gpu-driver-check-1'],
    ['..data', '-data'],
    ['gpu // driver', 'gpu-driver'],
    ['.', '-'],
    ['...', '-'],
    ['.hidden', '.hidden'],
    ['a.', 'a.'],
    ['a..b', 'a..b'],
    ['', '-'],
    ['x'.repeat(300), 'x'.repeat(253)],
  ])('made of %j is legal', (name, key) => {
    expect(legalKey(name, new Set())).toBe(key);
  });

  it('has a number when it is taken, within its length', () => {
    expect(legalKey('a b', new Set(['a-b', 'a-b-2', 'a-b-4']))).toBe('a-b-3');
    const long = 'x'.repeat(253);
    expect(legalKey(long, new Set([long]))).toBe(`${'x'.repeat(251)}-2`);
  });

  it('is never one that is taken, whatever the names', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 300, unit: 'binary' }), { maxLength: 20 }), (names) => {
        const taken = new Set<string>();
        for (const name of names) {
          const key = legalKey(name, taken);
          expect(taken.has(key)).toBe(false);
          expect(key).toMatch(/^(?!\.$)(?!\.\.)[-._a-zA-Z0-9]{1,253}$/);
          taken.add(key);
        }
      }),
    );
  });
});
