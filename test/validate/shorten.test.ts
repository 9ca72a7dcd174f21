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

  it('loses the output of what was skipped with it, and keeps what else it says', () => {
    const document = ctrf([loud('none', 'skipped'), loud('bad', 'failed')]) as { results: object };
    const extra = { cluster: 'gpu' };
    const short = shorten({ ...document, results: { ...document.results, extra } }, 10_000);
    expect(short?.results.tests.map(({ stdout }) => stdout !== undefined)).toEqual([false, true]);
    expect(short).toEqual({
      ...document,
      results: {
        ...document.results,
        tests: [{ name: 'none', status: 'skipped' }, loud('bad', 'failed')],
        extra: { ...extra, 'nvidia-aicr': expect.stringContaining('cut: ') },
      },
    });
  });

  it('then all output, but not its messages', () => {
    const bad = { ...loud('bad', 'failed'), message: 'why' };
    const odd = { ...loud('odd', 'failed'), message: ['a', 'b'] };
    const short = shorten(ctrf([loud('good', 'passed'), bad, odd]), 2_000);
    expect(short?.results.tests).toEqual([
      { name: 'good', status: 'passed' },
      { name: 'bad', status: 'failed', message: 'why' },
      { name: 'odd', status: 'failed' },
    ]);
    expect(short?.results.extra['nvidia-aicr']).toMatch(/; left out: the output of all checks$/);
  });

  it('keeps of long messages the beginning', () => {
    const tests = [500, 501].map((length) => ({ ...loud('bad', 'failed'), message: 'm'.repeat(length) }));
    expect(shorten(ctrf(tests), 4_000)?.results.tests.map(({ message }) => message)).toEqual([
      'm'.repeat(500),
      `${'m'.repeat(500)} …`,
    ]);
  });

  it('keeps as many checks as fit, the failed ones first, all in their order', () => {
    const tests = [failed('f1'), passed('p1'), passed('p2'), failed('f2'), passed('p3')];
    const kept = (count: number) => {
      const fits = (candidate: string) => (JSON.parse(candidate) as Shortened).results.tests.length <= count;
      const short = JSON.parse(shortenReport(JSON.stringify(ctrf(tests)), fits) ?? '') as Shortened;
      return short.results.tests.map(({ name }) => name).join(' ');
    };
    expect([0, 1, 2, 3, 4].map(kept)).toEqual(['', 'f1', 'f1 f2', 'f1 p1 f2', 'f1 p1 p2 f2']);
  });

  it('has no checks where it had no list of them', () => {
    const summary = { tests: 2, failed: 1 };
    expect(shorten({ results: { summary, tests: 'none' } }, 1_000)?.results).toMatchObject({
      summary,
      tests: [],
    });
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
