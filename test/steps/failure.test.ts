import { describe, expect, it } from 'vitest';
import { describeExit, failureMessage } from '../../src/runner/steps/aicr/failure.ts';

describe("aicr's own message", () => {
  it('is the error of its last record', () => {
    const lines = [
      '[cli] building recipe from criteria: criteria=criteria(accelerator=h100, intent=training)',
      "[cli] command failed: error=[INVALID_REQUEST] intent 'training' requires additional criteria; supported combinations: (service=aks), (service=gke, os=cos) exitCode=2",
    ];
    expect(failureMessage(lines)).toBe(
      "[INVALID_REQUEST] intent 'training' requires additional criteria; supported combinations: (service=aks), (service=gke, os=cos)",
    );
  });

  it('may go over several lines', () => {
    const lines = [
      '[aicr] command failed: error=[INTERNAL] yaml: line 3',
      '  did not find key',
      ' exitCode=8',
      'bye',
    ];
    expect(failureMessage(lines)).toBe('[INTERNAL] yaml: line 3\n  did not find key');
  });

  it('may be in colour', () => {
    expect(
      failureMessage(['\u001b[31m[cli] command failed: error=[NOT_FOUND] gone exitCode=3\u001b[0m']),
    ).toBe('[NOT_FOUND] gone');
  });

  it('may be JSON', () => {
    const lines = [
      '{"time":"2026-11-30T00:00:00Z","level":"INFO","msg":"building recipe"}',
      '{"time":"2026-11-30T00:00:00Z","level":"ERROR","msg":"command failed","error":"[NOT_FOUND] gone","exitCode":3}',
      '{broken',
    ];
    expect(failureMessage(lines)).toBe('[NOT_FOUND] gone');
  });

  it('about a wrong flag stands before its help', () => {
    const lines = [
      'Incorrect Usage: flag provided but not defined: -nope',
      '',
      'NAME:',
      '   aicr recipe - Create optimized recipe',
      '2026/11/30 02:52:09 ERROR command failed error="flag provided but not defined: -nope" exitCode=1',
    ];
    expect(failureMessage(lines)).toBe('Incorrect Usage: flag provided but not defined: -nope');
  });

  it('is its last line when nothing else is known', () => {
    expect(failureMessage(['starting', 'panic: oops', ''])).toBe('panic: oops');
    expect(failureMessage([])).toBe('');
  });
});

describe('an exit', () => {
  it.each([
    [2, null, 'exit code 2: the request is invalid'],
    [6, null, 'exit code 6: a service it needs is unavailable'],
    [77, null, 'exit code 77'],
    [null, 'SIGSEGV', 'ended by SIGSEGV'],
    [null, 'SIGKILL', 'killed (SIGKILL; out of memory?)'],
  ])('of %s %s is put into words', (code, signal, words) => {
    expect(describeExit(code, signal)).toBe(words);
  });
});
