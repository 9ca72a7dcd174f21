import { expect, test } from 'vitest';
import { asRunError, endOfSuccess, lateFailure, type StepEnd } from '../../src/runner/end.ts';
import { runSpec } from './spec.ts';

const installed: StepEnd = { step: 'deploy', outcome: { message: 'all 2 components are installed' } };
const validated: StepEnd = { step: 'validate', outcome: { message: 'Passed: 3 checks: 3 passed' } };
const kept: StepEnd = { step: 'evidence', outcome: { message: 'evidence.tgz, 3.0 KiB, sha256 12' } };
const published: StepEnd = { step: 'publish', outcome: { message: 'published as r.example/e:1@sha256:12' } };
const withFailures = ({ step, outcome }: StepEnd, ...failures: string[]): StepEnd => ({
  step,
  outcome: { ...outcome, failures },
});
const failing = (end: StepEnd, code: 'ValidationFailed' | 'PublishFailed', tail: string[] = []): StepEnd => ({
  ...end,
  outcome: { ...end.outcome, failsRun: { code, message: `${code}!`, hint: `Mend ${code}.`, tail } },
});
const before: StepEnd[] = [{ step: 'verify', outcome: { message: 'every file is as it was rendered' } }];

test('a run that succeeds says what each step it is about came to', () => {
  expect(endOfSuccess(runSpec, [...before, installed])).toMatchObject({
    phase: 'Succeeded',
    message: 'all 2 components are installed',
    rerun: '',
  });
  expect(endOfSuccess(runSpec, [...before, installed, validated, kept, published])).toMatchObject({
    phase: 'Succeeded',
    message:
      'all 2 components are installed; validation: Passed: 3 checks: 3 passed; published as r.example/e:1@sha256:12',
  });
  expect(endOfSuccess(runSpec, before).message).toBe('every file is as it was rendered');
  expect(endOfSuccess(runSpec, [kept, ...before]).message).toBe('every file is as it was rendered');
});

test('with failures it names them, whichever step they are of, and nothing else', () => {
  const failed = { step: 'validate', outcome: { message: 'Failed: 1 check: 1 failed (a)' } } as const;
  const ends = [installed, withFailures(failed, 'validation (Failed)'), kept, published];
  expect(endOfSuccess(runSpec, ends)).toMatchObject({
    phase: 'SucceededWithFailures',
    message: 'validation: Failed: 1 check: 1 failed (a)',
    rerun: expect.stringContaining('runId=1'),
  });
  const lost = withFailures(kept, 'evidence (not kept)');
  expect(endOfSuccess(runSpec, [withFailures(installed, 'x'), validated, lost]).message).toBe(
    'all 2 components are installed; evidence.tgz, 3.0 KiB, sha256 12',
  );
});

test('a full disk is the disk’s fault, whichever write met it; everything else that is thrown is the installer’s', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  const quota = Object.assign(new Error('EDQUOT: quota exceeded'), { code: 'EDQUOT' });
  for (const error of [full, quota]) {
    expect(asRunError(error)).toMatchObject({
      code: 'DiskFull',
      message: expect.stringContaining(error.message),
      hint: expect.stringContaining('job.tmpSizeLimit'),
      cause: error,
    });
  }
  expect(asRunError(new TypeError('x is not a function'))).toMatchObject({ code: 'Internal' });
});

test('what was put off until the end fails the run, with the first one’s reason and all their messages', () => {
  expect(lateFailure([installed, validated, kept, published])).toBeNull();
  const ends = [
    installed,
    failing(validated, 'ValidationFailed', ['last line']),
    kept,
    failing(published, 'PublishFailed'),
  ];
  expect(lateFailure(ends)).toMatchObject({
    code: 'ValidationFailed',
    message: 'ValidationFailed!; PublishFailed!',
    hint: 'Mend ValidationFailed. Mend PublishFailed.',
    tail: ['last line'],
  });
});
