import { expect, test } from 'vitest';
import type { Check, Report } from '../../src/runner/steps/validate/ctrf.ts';
import { summariseVerdict } from '../../src/runner/steps/validate/summary.ts';
import type { Verdict } from '../../src/runner/steps/validate/verdict.ts';

const facts = {
  release: 'aicr',
  namespace: 'ns',
  configMap: 'aicr-validate-result',
  version: 'v1.2.0',
  phases: ['deployment', 'performance'],
  endedAt: new Date('2026-11-30T10:00:00Z'),
  tail: ['one', 'two'],
};
const verdict = (hint: string) => ({ outcome: 'Failed', message: 'it failed', hint }) as Verdict;
const check = (name: string, status: Check['status'], lines: string[] = [], suite = ''): Check =>
  ({ name, status, lines, suite }) as Check;
const report = (checks: readonly Check[], oddities: readonly string[] = []): Report =>
  ({ checks, oddities }) as unknown as Report;
const HEAD = `Validation of release aicr in namespace ns: Failed
it failed
aicr v1.2.0, phases deployment, performance, ended 2026-11-30T10:00:00.000Z
`;
const WHOLE = `The whole report:
  kubectl get configmap aicr-validate-result -n ns -o jsonpath='{.data.ctrf\\.json}'
`;

test('the summary without a report has the last lines instead', () => {
  expect(summariseVerdict(verdict(''), null, facts)).toBe(
    `${HEAD}\nLast lines of aicr validate\n  one\n  two\n`,
  );
  expect(summariseVerdict(verdict('Do it.'), null, { ...facts, tail: [] })).toBe(
    `${HEAD}\nWhat to do: Do it.\n`,
  );
});

test('the summary with a report has each kind of check in its own words', () => {
  const checks = [
    check('a', 'passed'),
    check('b', 'failed', ['b1', 'b2'], 'gpu'),
    check('c', 'other'),
    check('d', 'skipped', ['no GPU', 'more']),
    check('e', 'skipped'),
    check('f', 'passed'),
  ];
  expect(summariseVerdict(verdict('Do it.'), report(checks, ['odd']), facts)).toBe(`${HEAD}
NOTE: odd

Failed (1)
  b (gpu)
      b1
      b2

Inconclusive (1)
  c
      (it said nothing)

Skipped (2)
  d: no GPU
  e

Passed (2)
  a, f

What to do: Do it.

${WHOLE}`);
  expect(summariseVerdict(verdict(''), report([]), facts)).toBe(`${HEAD}\n${WHOLE}`);
});

test('of more than fifty checks the others are named, of more than five hundred counted', () => {
  const many = (count: number, status: Check['status']): Check[] =>
    Array.from({ length: count }, (_, index) => check(`n${index}`, status, ['x']));
  const text = (checks: readonly Check[]): string => summariseVerdict(verdict(''), report(checks), facts);
  expect(text(many(50, 'failed'))).toContain('  n49\n      x\n\nThe whole');
  expect(text(many(52, 'failed'))).toContain('  n49\n      x\n  n50, n51\n\nThe whole');
  expect(text(many(50, 'skipped'))).toContain('  n49: x\n\nThe whole');
  expect(text(many(52, 'skipped'))).toContain('  n49: x\n  n50, n51\n\nThe whole');
  expect(text(many(500, 'passed'))).toContain(', n499\n\nThe whole');
  expect(text(many(502, 'passed'))).toContain(', n499 and 2 more\n\nThe whole');
});
