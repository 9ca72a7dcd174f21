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

  it('is that of the last record, of which no more than twenty lines count', () => {
    const record = (text: string): string => `[cli] command failed: error=${text} exitCode=1`;
    expect(failureMessage([record('first'), 'x', record(' second ')])).toBe('second');
    const long = (count: number): string[] => [
      '[cli] command failed: error=0',
      ...Array.from({ length: count }, (_, index) => `${index + 1}`),
      'end exitCode=1',
    ];
    expect(failureMessage(long(18))).toMatch(/\n18\nend$/);
    expect(failureMessage(long(19))).toMatch(/\n19$/);
  });

  it.each([
    [
      'behind other words',
      ['so: [cli] command failed: error=x exitCode=1'],
      'so: [cli] command failed: error=x exitCode=1',
    ],
    ['whose error is empty', ['{"error":"older"}', '{"error":""}', 'end'], 'older'],
    ['whose error is no text', ['{"error":"older"}', '{"error":5}', '{"a":1}', '{', 'end'], 'older'],
    ['with blanks before it', [' {"error":"x"}'], '{"error":"x"}'],
    ['as JSON in colour', ['\u001b[0;31m{"error":"x"}\u001b[0m'], 'x'],
  ])('of a record %s', (_, lines, message) => {
    expect(failureMessage(lines)).toBe(message);
  });

  it.each([
    ['Required flag "recipe" not set ', 'Required flag "recipe" not set'],
    ['  error: flag provided but not defined: -x', 'error: flag provided but not defined: -x'],
    ['incorrect usage: x', 'incorrect usage: x'],
    ['No Required flag', 'help'],
    ['No Incorrect Usage: x', 'help'],
  ])('about a flag, %j, is told before the help', (line, message) => {
    expect(failureMessage([line, '  help  '])).toBe(message);
  });

  it('is its last line when nothing else is known', () => {
    expect(failureMessage(['first', '', ' last of two '])).toBe('last of two');
    expect(failureMessage(['null', '7'])).toBe('7');
    expect(failureMessage(['[cli] command failed: error=cut off'])).toBe('cut off');
    expect(failureMessage(['[cli] command failed: cut', 'off'])).toBe('off');
    expect(failureMessage(['[cli] command failed: error=x exitCode=12 y'])).toBe('x');
    expect(failureMessage(['starting', 'panic: oops', ''])).toBe('panic: oops');
    expect(failureMessage([])).toBe('');
  });
});

describe('an exit', () => {
  it.each([
    [1, null, 'exit code 1: an unknown or missing flag, or an unclassified failure'],
    [2, null, 'exit code 2: the request is invalid'],
    [3, null, 'exit code 3: something it needs was not found'],
    [4, null, 'exit code 4: unauthorized, or an integrity check failed'],
    [5, null, 'exit code 5: a timeout'],
    [7, null, 'exit code 7: rate limited'],
    [8, null, 'exit code 8: an internal failure'],
    [9, null, 'exit code 9: it was interrupted'],
    [6, null, 'exit code 6: a service it needs is unavailable'],
    [77, null, 'exit code 77'],
    [null, 'SIGSEGV', 'ended by SIGSEGV'],
    [null, 'SIGKILL', 'killed (SIGKILL; out of memory?)'],
  ])('of %s %s is put into words', (code, signal, words) => {
    expect(describeExit(code, signal)).toBe(words);
  });
});
