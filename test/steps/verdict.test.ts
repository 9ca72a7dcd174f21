import { describe, expect, it } from 'vitest';
import { type DeployEvidence, type DeployVerdict, decide } from '../../src/runner/steps/deploy/verdict.ts';

type Facts = Omit<DeployEvidence, 'bestEffort'>;

const quiet: Facts = { exitCode: 0, success: false, failures: null, failedComponents: [], deferred: false };
const failed = (names: readonly string[] = []): DeployVerdict => ({
  kind: 'failed',
  code: 'DeployFailed',
  names,
});
const deferredFailure: DeployVerdict = { kind: 'failed', code: 'DeployDeferred', names: [] };

/** What deploy.sh showed, and the verdict without and with --best-effort. */
const table: readonly (readonly [string, Partial<Facts>, DeployVerdict, DeployVerdict])[] = [
  ['0, success', { success: true }, { kind: 'succeeded' }, { kind: 'succeeded' }],
  ['0, neither marker nor report', {}, { kind: 'unsaid' }, { kind: 'unsaid' }],
  ['0, report', { failures: ['a', 'b'] }, failed(['a', 'b']), { kind: 'failures', names: ['a', 'b'] }],
  [
    '0, report and success',
    { success: true, failures: ['a'] },
    failed(['a']),
    { kind: 'failures', names: ['a'] },
  ],
  ['0, report without names', { failures: [] }, failed(), { kind: 'failures', names: [] }],
  [
    '0, a FAILED line, success',
    { success: true, failedComponents: ['a'] },
    failed(['a']),
    { kind: 'failures', names: ['a'] },
  ],
  [
    '0, report and FAILED lines',
    { failures: ['b', 'a'], failedComponents: ['a'] },
    failed(['a', 'b']),
    { kind: 'failures', names: ['a', 'b'] },
  ],
  ['0, success, deferral', { success: true, deferred: true }, deferredFailure, { kind: 'deferred' }],
  ['0, deferral alone', { deferred: true }, deferredFailure, { kind: 'deferred' }],
  [
    '0, report, deferral',
    { failures: ['a'], deferred: true },
    failed(['a']),
    { kind: 'failures', names: ['a'] },
  ],
  ['1', { exitCode: 1 }, failed(), failed()],
  ['1, success', { exitCode: 1, success: true }, failed(), failed()],
  ['1, a FAILED line', { exitCode: 1, failedComponents: ['a'] }, failed(['a']), failed(['a'])],
  ['1, report', { exitCode: 1, failures: ['a'] }, failed(['a']), failed(['a'])],
  ['1, report, deferral', { exitCode: 1, failures: ['a'], deferred: true }, failed(['a']), failed(['a'])],
  ['1, deferral', { exitCode: 1, deferred: true }, failed(), failed()],
  ['2, deferral', { exitCode: 2, deferred: true }, deferredFailure, { kind: 'deferred' }],
  [
    '2, success, deferral',
    { exitCode: 2, success: true, deferred: true },
    deferredFailure,
    { kind: 'deferred' },
  ],
  ['2, deferral, report', { exitCode: 2, deferred: true, failures: ['a'] }, failed(['a']), failed(['a'])],
  ['2, deferral, report without names', { exitCode: 2, deferred: true, failures: [] }, failed(), failed()],
  [
    '2, deferral, a FAILED line',
    { exitCode: 2, deferred: true, failedComponents: ['a'] },
    failed(['a']),
    failed(['a']),
  ],
  ['2, no deferral', { exitCode: 2 }, failed(), failed()],
  ['2, no deferral, success', { exitCode: 2, success: true }, failed(), failed()],
  ['2, no deferral, report', { exitCode: 2, failures: ['a'] }, failed(['a']), failed(['a'])],
  ['127', { exitCode: 127 }, failed(), failed()],
  ['130', { exitCode: 130 }, failed(), failed()],
  ['a signal', { exitCode: null, success: true }, failed(), failed()],
  ['a signal, deferral', { exitCode: null, deferred: true }, failed(), failed()],
];

describe('the verdict on exit', () => {
  it.each(table)('%s', (_, facts, strict, bestEffort) => {
    expect(decide({ ...quiet, ...facts, bestEffort: false })).toEqual(strict);
    expect(decide({ ...quiet, ...facts, bestEffort: true })).toEqual(bestEffort);
  });

  it('is never a plain success unless deploy.sh exits 0, says so, and nothing speaks against it', () => {
    for (const exitCode of [0, 1, 2, 3, 130, null]) {
      for (const success of [true, false]) {
        for (const failures of [null, [], ['a']]) {
          for (const failedComponents of [[], ['a']]) {
            for (const deferred of [true, false]) {
              for (const bestEffort of [true, false]) {
                const evidence = { exitCode, success, failures, failedComponents, deferred, bestEffort };
                const good = exitCode === 0 && success && !failures && !failedComponents.length && !deferred;
                expect([evidence, decide(evidence).kind === 'succeeded']).toEqual([evidence, good]);
                const fatal = exitCode !== 0 && !(exitCode === 2 && bestEffort);
                if (fatal) expect(decide(evidence).kind).toBe('failed');
              }
            }
          }
        }
      }
    }
  });
});
