import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NOTES_KEY } from '../../src/contract/index.ts';
import { OBJECT_BUDGET, WHOLE_LIMIT } from '../../src/runner/results/index.ts';
import { binary, joinBytes, joinText, jsonSize, layout, text } from './laid-out.ts';

// As large as results really are; what the small ones of layout.test.ts show is not shown again.

const KIB = 1024;

it('a result of megabytes is split into parts that join to the same bytes', () => {
  const bytes = randomBytes(2_500_000);
  const made = layout([text('summary.txt', 'small'), binary('evidence.tgz', bytes)]);
  expect(made.parts.map(({ name }) => name)).toEqual([
    'aicr-result-1',
    'aicr-result-2',
    'aicr-result-3',
    'aicr-result-4',
  ]);
  expect(joinBytes(made, 'evidence.tgz').equals(bytes)).toBe(true);
  expect(made.head.data?.['summary.txt']).toBe('small');
  expect(made.head.data?.[NOTES_KEY]).toContain(createHash('sha256').update(bytes).digest('hex'));
});

it('what base64 and JSON make of a result is counted', () => {
  // 700 KiB are 934 KiB in base64; 500 KiB of quotes are 1,000 KiB in JSON.
  expect(layout([binary('evidence.tgz', randomBytes(700 * KIB))]).parts).toHaveLength(2);
  expect(layout([text('quotes.txt', '"'.repeat(500 * KIB))]).parts).toHaveLength(2);
  expect(layout([text('plain.txt', 'x'.repeat(850 * KIB))]).parts).toHaveLength(0);
});

it('a text of ten MiB is cut after a whole line, and says so at its end', () => {
  const whole = 'a line of text\n'.repeat(700_000);
  const made = layout([text('recipe.yaml', whole)]);
  const joined = joinText(made, 'recipe.yaml');
  expect(Buffer.byteLength(joined)).toBeLessThanOrEqual(WHOLE_LIMIT);
  const mark = joined.slice(joined.lastIndexOf('\n['));
  expect(mark).toBe('\n[cut here: the first 8.0 MiB of 10.0 MiB. The registry keeps the whole.]\n');
  expect(whole.startsWith(joined.slice(0, -mark.length))).toBe(true);
  expect(made.head.data?.[NOTES_KEY]).toContain('recipe.yaml is 10.0 MiB and was cut');
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
        const { head, parts } = layout(entries);
        for (const configMap of [head, ...parts])
          expect(jsonSize(configMap)).toBeLessThanOrEqual(OBJECT_BUDGET);
      },
    ),
    { numRuns: 12 },
  );
});
