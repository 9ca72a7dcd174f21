import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textSize } from '../../src/runner/results/budget.ts';
import { sliceBytes, sliceText, textBeginning } from '../../src/runner/results/slices.ts';

describe('slices of a text', () => {
  it('join to it, each within its limit', () => {
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
      { endOnFailure: true },
    );
  });

  it.each([
    ['are as long as may be', 'abcdefghijklmnopqrstuvwxyz', ['abcdefghijklmn', 'opqrstuvwxyz']],
    ['count escapes', '""""""""""', ['"""""""', '"""']],
    ['are one when it fits to the last byte', 'abcdefghijklmn', ['abcdefghijklmn']],
    ['are one when it fits, whatever lines it has', 'abcdefghijk\nm', ['abcdefghijk\nm']],
    ['end at the last line end of their second half', 'abcdef\nhi\nklmnop', ['abcdef\nhi\n', 'klmnop']],
    ['end at a line end that just fits', 'abcdefghijkl\nno', ['abcdefghijkl\n', 'no']],
    ['do not end at a line end beyond their limit', 'abcdefghijklmn\nop', ['abcdefghijklmn', '\nop']],
    ['end at no line end of their first half', 'abcde\nghijk"mno', ['abcde\nghijk"', 'mno']],
    [
      'look at line ends of their own alone',
      'abcdefghijkl\nabc\nefghijklmnop',
      ['abcdefghijkl\n', 'abc\nefghijklm', 'nop'],
    ],
    ['are none of nothing', '', []],
  ])('%s', (_, whole, slices) => {
    expect(sliceText(whole, 16)).toEqual(slices);
  });

  it.each([
    ['😀', '\u{10000}'],
    ['the last one', '\u{10ffff}'],
    ['the last with the first half', '\u{103ff}'],
  ])('never end inside a character: %s', (_, character) => {
    // Thirteen characters and the first half would fit.
    const whole = `${'x'.repeat(7)}${character}${character}${character}`;
    expect(sliceText(whole, 16)).toEqual([`${'x'.repeat(7)}${character}`, `${character}${character}`]);
  });

  it('end after any character that is whole', () => {
    for (const character of ['\ud7ff', '\ue000', '\uffff'])
      expect(sliceText(character.repeat(5), 16)).toEqual([character.repeat(4), character]);
  });
});

describe('the beginning of a text', () => {
  it.each([
    ['is all of it when it fits to the last byte', 'abcdefghij', 'abcdefghij'],
    ['is as long as may be', 'abcdefghijk', 'abcdefghij'],
    ['ends at the last line end of its second half', 'abcd\nf\nhijkl', 'abcd\nf\n'],
    ['ends at a line end that just fits', 'abcdefghi\nk', 'abcdefghi\n'],
    ['does not end at a line end beyond its limit', 'abcdefghij\nl', 'abcdefghij'],
    ['ends at no line end of its first half', 'abcd\nfghijkl', 'abcd\nfghij'],
    ['never ends inside a character of two bytes', 'abcdefghiü', 'abcdefghi'],
    ['never ends inside a character of four bytes', 'abcdefg😀😀', 'abcdefg'],
    ['keeps a character that just fits', 'abcdef😀😀', 'abcdef😀'],
  ])('%s', (_, whole, beginning) => {
    expect(textBeginning(whole, 10)).toBe(beginning);
  });

  it('may be nothing', () => {
    expect(textBeginning('😀', 3)).toBe('');
  });
});

describe('slices of bytes', () => {
  it('join to them, each as long in base64 as may be', () => {
    const bytes = Uint8Array.from({ length: 20 }, (_, index) => index);
    const slices = sliceBytes(bytes, 14);
    expect(slices.map(({ length }) => length)).toEqual([9, 9, 2]);
    expect(Buffer.concat(slices)).toEqual(Buffer.from(bytes));
    expect(sliceBytes(bytes.subarray(0, 18), 13).map(({ length }) => length)).toEqual([6, 6, 6]);
  });
});
