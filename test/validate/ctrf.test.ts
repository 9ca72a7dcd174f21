import { describe, expect, it } from 'vitest';
import { parseObject, type Report, readReport } from '../../src/runner/steps/validate/ctrf.ts';
import { ctrf, failed, passed } from './reports.ts';

const read = (document: unknown) =>
  readReport(document instanceof Uint8Array ? document : Buffer.from(JSON.stringify(document)));
function report(document: unknown): Report {
  const result = read(document);
  if ('unreadable' in result) throw new Error(result.unreadable);
  return result;
}

describe('a CTRF report', () => {
  it('is counted, and its checks are named with what they said', () => {
    const tests = [
      passed('operator-health'),
      failed('expected-resources', 'Deployment x is missing\nsecond line\n'),
      { name: 'check-nvidia-smi', status: 'other', suite: ['deployment', 'gpu'], stdout: ['a', '', 'b'] },
      { name: 'gke-nic', status: 'skipped', message: 'no GKE' },
    ];
    expect(report(ctrf(tests))).toEqual({
      counts: { tests: 4, passed: 1, failed: 1, skipped: 1, other: 1 },
      oddities: [],
      checks: [
        { name: 'operator-health', status: 'passed', suite: 'deployment', lines: [] },
        {
          name: 'expected-resources',
          status: 'failed',
          suite: 'deployment',
          lines: ['Deployment x is missing', 'second line'],
        },
        { name: 'check-nvidia-smi', status: 'other', suite: 'deployment / gpu', lines: ['a', 'b'] },
        { name: 'gke-nic', status: 'skipped', suite: '', lines: ['no GKE'] },
      ],
    });
  });

  it.each(['pending', 'error', 'FLAKY', 7, null, undefined])(
    'takes a check of status %j for inconclusive',
    (status) => {
      expect(report(ctrf([{ name: 'a', status }], { tests: 1, other: 1 })).counts).toMatchObject({
        other: 1,
        passed: 0,
      });
    },
  );

  it('shows the first lines of a check without colours, odd bytes and too much length', () => {
    const message = `\u001b[31mred\u001b[0m \u0007\n${'long '.repeat(1000)}\n${'x\n'.repeat(1000)}`;
    const [check] = report(ctrf([failed('a', message)])).checks;
    expect(check?.lines[0]).toBe('red ␇');
    expect(check?.lines[1]?.length).toBeLessThan(310);
    expect(check?.lines).toHaveLength(3);
    const many = Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\n');
    expect(report(ctrf([failed('a', many)])).checks[0]?.lines).toHaveLength(5);
  });

  it('with raw control characters and bytes that are no UTF-8 is read all the same', () => {
    const bytes = Buffer.concat([
      Buffer.from(
        '\ufeff{"results":{"summary":{"tests":1,"failed":1},"tests":[{"name":"a","status":"failed","message":"',
      ),
      Buffer.from([0xff, 0xfe, 0x00, 0x1b]),
      Buffer.from('"}]}}'),
    ]);
    expect(report(bytes)).toMatchObject({
      counts: { failed: 1 },
      checks: [{ name: 'a', lines: ['\ufffd\ufffd␀␛'] }],
    });
  });

  it.each([
    [
      'more failures than checks that failed',
      { tests: 2, passed: 0, failed: 2 },
      [passed('a'), passed('b')],
      { failed: 2, passed: 2 },
    ],
    [
      'fewer failures than checks that failed',
      { tests: 2, passed: 2, failed: 0 },
      [passed('a'), failed('b')],
      { failed: 1, passed: 1 },
    ],
    [
      'inconclusive checks that are not listed',
      { tests: 3, passed: 2, other: 1 },
      [passed('a'), passed('b')],
      { other: 1, tests: 3 },
    ],
  ])('whose summary says %s is taken at its worst, and that is said', (_, summary, tests, counts) => {
    const read = report(ctrf(tests, summary));
    expect(read.counts).toMatchObject(counts);
    expect(read.oddities).toEqual([expect.stringContaining('disagree')]);
  });

  it('without checks is believed by its summary, and without a summary by its checks', () => {
    expect(report({ results: { summary: { tests: 3, passed: 1, failed: 2 } } })).toEqual({
      counts: { tests: 3, passed: 1, failed: 2, skipped: 0, other: 0 },
      checks: [],
      oddities: ['the report has no results.tests'],
    });
    expect(report({ results: { tests: [failed('a')] } })).toMatchObject({
      counts: { tests: 1, failed: 1 },
      oddities: ['the report has no results.summary'],
    });
  });

  it('is believed to have as many checks as its summary counts, where that says less of them', () => {
    const summary = { passed: 1, failed: 2, skipped: 3, pending: 4, other: 5 };
    const counts = { passed: 1, failed: 2, skipped: 3, other: 9 };
    expect(report({ results: { summary } }).counts).toEqual({ ...counts, tests: 15 });
    expect(report({ results: { summary: { ...summary, tests: 20 } } }).counts).toEqual({
      ...counts,
      tests: 20,
    });
  });

  it('that contradicts itself is quoted with both of its counts', () => {
    const tests = [passed('a'), { name: 'b', status: 'skipped' }];
    expect(report(ctrf(tests, { tests: 2, passed: 2, other: 1 })).oddities).toEqual([
      "the report's summary (2 passed, 0 failed, 0 skipped, 1 other) and its checks (1 passed, 0 failed, 1 skipped, 0 other) disagree",
    ]);
  });

  it('has names and words of one line each, whatever they are made of', () => {
    const tests = [
      { name: '  a \t\n b ', status: 'passed', suite: 'one  suite', stdout: ' plain   text\n' },
      { name: { a: 1 }, status: 'PASSED', suite: 7, stdout: [7, null, { b: 2 }] },
      { name: null, status: 'passed', message: null },
    ];
    expect(report(ctrf(tests)).checks).toEqual([
      { name: 'a b', status: 'passed', suite: 'one suite', lines: ['plain text'] },
      { name: '{"a":1}', status: 'passed', suite: '7', lines: ['7', '{"b":2}'] },
      { name: 'check 3 (unnamed)', status: 'passed', suite: '', lines: [] },
    ]);
  });

  it('has lines of 300 characters, and of megabytes of output the beginning', () => {
    const lines = (message: string) => report(ctrf([failed('a', message)])).checks[0]?.lines;
    expect(lines('x'.repeat(300))).toEqual(['x'.repeat(300)]);
    expect(lines('x'.repeat(301))).toEqual([`${'x'.repeat(300)} …`]);
    expect(lines(`early\n${' '.repeat(64 * 1024)}\nlate`)).toEqual(['early']);
  });

  it('loses a byte order mark at its beginning, and none elsewhere', () => {
    expect(parseObject('\ufeff{"a":"b"}')).toEqual({ a: 'b' });
    expect(parseObject('{"a":"\ufeff"}')).toEqual({ a: '\ufeff' });
  });

  it('with entries that are no checks names them anyhow', () => {
    expect(report({ results: { summary: { tests: 2, other: 2 }, tests: [null, 'x'] } }).checks).toMatchObject(
      [
        { name: 'check 1 (unnamed)', status: 'other' },
        { name: 'check 2 (unnamed)', status: 'other' },
      ],
    );
  });

  it.each([
    ['a count that is text', { tests: 5, passed: 5, failed: '1' }, 'results.summary.failed'],
    ['a negative count', { tests: 5, passed: 5, failed: -1 }, 'results.summary.failed'],
    ['a count that is no number', { tests: 5, passed: 5, other: {} }, 'results.summary.other'],
  ])('whose summary has %s proves nothing', (_, summary, where) => {
    const unreadable = expect.stringContaining(`${where} is not a count`);
    expect(readReport(Buffer.from(JSON.stringify({ results: { summary } })))).toEqual({ unreadable });
  });

  it.each([
    ['', 'empty'],
    ['not json', 'not a JSON object'],
    ['{"results":', 'not a JSON object'],
    ['[]', 'not a JSON object'],
    ['null', 'not a JSON object'],
    ['{}', 'neither results.summary nor results.tests'],
    ['{"results":{"summary":7}}', 'neither'],
  ])('%j is none, and it is said why', (text, why) => {
    expect(readReport(Buffer.from(text))).toEqual({ unreadable: expect.stringContaining(why) });
  });
});
