import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shortenReport } from '../../src/runner/steps/validate/shorten.ts';
import { ctrf, failed, passed } from './reports.ts';

interface Shortened {
  readonly results: {
    readonly summary: { readonly tests: number; readonly failed: number };
    readonly tests: readonly {
      readonly name: string;
      readonly stdout?: unknown;
      readonly message?: string;
    }[];
    readonly extra: { readonly 'nvidia-aicr': string };
  };
}

const loud = (name: string, status: string) => ({
  name,
  status,
  stdout: [`${name} ${'output '.repeat(1000)}`],
});
const shorten = (document: object, limit: number): Shortened | null => {
  const short = shortenReport(JSON.stringify(document), (candidate) => candidate.length <= limit);
  return short === null ? null : (JSON.parse(short) as Shortened);
};

describe('a report that is too long', () => {
  it('first loses the output of what passed', () => {
    const short = shorten(ctrf([loud('good', 'passed'), loud('bad', 'failed')]), 10_000);
    expect(short?.results.tests.map(({ stdout }) => stdout !== undefined)).toEqual([false, true]);
    expect(short?.results.extra['nvidia-aicr']).toMatch(
      /^cut: the whole report has 1\d\.\d KiB; left out: the output of checks that passed or were skipped$/,
    );
    expect(short?.results.summary).toMatchObject({ tests: 2, failed: 1 });
  });

  it('then all output', () => {
    const short = shorten(ctrf([loud('good', 'passed'), loud('bad', 'failed')]), 2_000);
    expect(short?.results.tests).toEqual([
      { name: 'good', status: 'passed' },
      { name: 'bad', status: 'failed' },
    ]);
  });

  it('then checks from the end, those that passed before those that failed, and says how many', () => {
    const tests = [
      ...Array.from({ length: 200 }, (_, index) => passed(`p${index}`)),
      failed('f1', 'why'),
      failed('f2'),
    ];
    const short = shorten(ctrf(tests), 3_000);
    const names = short?.results.tests.map(({ name }) => name) ?? [];
    expect(names.slice(-2)).toEqual(['f1', 'f2']);
    expect(names[0]).toBe('p0');
    expect(short?.results.extra['nvidia-aicr']).toContain(`${202 - names.length} of 202 checks`);
    expect(short?.results.summary).toMatchObject({ tests: 202, failed: 2 });
  });

  it('gets a summary when it has none', () => {
    expect(shorten({ results: { tests: [failed('a')] } }, 1_000)?.results.summary).toMatchObject({
      tests: 1,
      failed: 1,
    });
  });

  it('is given up when it is no report, or nothing of it fits', () => {
    expect(shortenReport('not json', () => true)).toBeNull();
    expect(shortenReport('{"results": []}', () => true)).toBeNull();
    expect(shorten(ctrf([passed('a')]), 10)).toBeNull();
  });

  it('always fits, and is always JSON with results.summary', () => {
    const test = fc.record({
      name: fc.string(),
      status: fc.constantFrom('passed', 'failed', 'other'),
      message: fc.string({ maxLength: 2000 }),
      stdout: fc.array(fc.string()),
    });
    fc.assert(
      fc.property(
        fc.array(test, { maxLength: 60 }),
        fc.integer({ min: 900, max: 20_000 }),
        (tests, limit) => {
          const short = shortenReport(JSON.stringify(ctrf(tests)), (candidate) => candidate.length <= limit);
          expect(short?.length).toBeLessThanOrEqual(limit);
          expect((JSON.parse(short ?? '') as Shortened).results.summary.tests).toBe(tests.length);
        },
      ),
    );
  });
});
