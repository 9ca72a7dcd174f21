import { expect } from 'vitest';
import { chart } from './chart.ts';
import { helm, type RenderOptions, render, valuesFile } from './helm.ts';

/** NOTES.txt as Helm 4 shows it; Helm 3 needs a cluster for that, and is asked where there is one. */
export const notes = async (values: unknown, options: RenderOptions = {}): Promise<string> => {
  const { release = 'rel', namespace = 'ns' } = options;
  const install = ['install', release, options.chart ?? chart, '-n', namespace, '-f', valuesFile(values)];
  const { ok, stdout, stderr } = await helm(4, [...install, '--dry-run=client', ...(options.args ?? [])]);
  expect([ok, stderr]).toEqual([true, '']);
  return stdout.slice(stdout.indexOf('\nNOTES:\n') + '\nNOTES:\n'.length);
};

/** The command lines in notes; what goes on behind a backslash is a line of its own. */
export const commands = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('  '))
    .map((line) => line.trim());

/** The warnings of a run; fails unless notes and run.json have the same. */
export const warnings = async (values: object): Promise<readonly string[]> => {
  const [{ runSpec }, text] = await Promise.all([render(values), notes(values)]);
  const [, below = ''] = text.split('\nWARNINGS\n');
  const shown = below.split('\n').flatMap((line) => (line.startsWith('* ') ? [line.slice(2)] : []));
  expect(shown).toEqual(runSpec.warnings);
  expect(runSpec.warnings.filter((line) => line.trim() === '')).toEqual([]);
  return runSpec.warnings;
};
