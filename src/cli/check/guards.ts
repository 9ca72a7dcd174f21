import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ChartSources, renderChart, writeFolder } from '../../chart/index.ts';

/** What the chart's guards say of values files. */
export interface GuardReport {
  /** Path of a value, and what is wrong with it. */
  readonly faults: readonly { readonly path: string; readonly message: string }[];
  /** Why the guards were not asked, or could not answer; empty otherwise. */
  readonly unchecked: string;
}

/** Guards do not look at the program, so none has to be built for a check. */
const NO_PROGRAM = { program: new Uint8Array([0]), handover: '' };

/**
 * Asks the guards in the chart's own templates, through the helm on PATH.
 * @param files values files, in Helm's order
 * @param schemaIsBroken true when the files break the schema: Helm then has to be told to go on
 */
export const askGuards = async (
  files: readonly string[],
  sources: Omit<ChartSources, 'runner'>,
  schemaIsBroken: boolean,
): Promise<GuardReport> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'nvidia-aicr-check-'));
  try {
    const chart = await writeFolder(renderChart({ ...sources, runner: NO_PROGRAM }), folder);
    const values = files.flatMap((file) => ['-f', file]);
    const skip = schemaIsBroken ? ['--skip-schema-validation'] : [];
    // The version stands for any cluster that the chart admits; an old helm would believe in an older one.
    const { found, stderr } = await helm([
      'template',
      'check',
      chart,
      ...values,
      ...skip,
      '--kube-version',
      '1.34.0',
    ]);
    if (!found)
      return {
        faults: [],
        unchecked: 'Not checked: what values mean together, because helm is not on PATH.',
      };
    if (stderr === '') return { faults: [], unchecked: '' };
    const faults = faultsIn(stderr);
    if (faults.length > 0) return { faults, unchecked: '' };
    if (schemaIsBroken) {
      return {
        faults: [],
        unchecked: 'Not checked yet: what values mean together, because of the problems above.',
      };
    }
    return { faults: [{ path: '', message: stderr }], unchecked: '' };
  } finally {
    await rm(folder, { recursive: true });
  }
};

const helm = async (args: readonly string[]): Promise<{ found: boolean; stderr: string }> =>
  new Promise((resolve) => {
    execFile('helm', args, { maxBuffer: 64 * 1024 * 1024 }, (error, _stdout, stderr) => {
      if (error === null) resolve({ found: true, stderr: '' });
      else resolve({ found: error.code !== 'ENOENT', stderr: stderr.trim() || error.message });
    });
  });

/** The lines that guards write: after Helm's own first line, `key: what is wrong; what to do`. */
const faultsIn = (stderr: string): GuardReport['faults'] => {
  if (!stderr.includes('templates/guards.yaml')) return [];
  return stderr
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, key, message] = /^([A-Za-z0-9.]+(?:\[\d+\])?): (.+)$/.exec(line.trim()) ?? [];
      return key === undefined || message === undefined ? [] : [{ path: key, message }];
    });
};
