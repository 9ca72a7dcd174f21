import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ChartSources, renderChart, writeFolder } from '../../chart/index.ts';
import type { ValuesDocument } from './document.ts';

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
 * @param documents values files, in Helm's order
 * @param schemaIsBroken true when the files break the schema: Helm then has to be told to go on
 */
export const askGuards = async (
  documents: readonly ValuesDocument[],
  sources: Omit<ChartSources, 'runner'>,
  schemaIsBroken: boolean,
): Promise<GuardReport> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'nvidia-aicr-check-'));
  const keep = removeOnSignals(folder);
  try {
    const chart = await writeFolder(renderChart({ ...sources, runner: NO_PROGRAM }), folder);
    // Copies: a pipe can be read once only, and Helm splits the name of a file at its commas.
    const copies = documents.map((_, index) => path.join(folder, `values-${index}.yaml`));
    await Promise.all(
      documents.map(({ bytes }, index) => writeFile(copies[index] ?? '', bytes, { mode: 0o600 })),
    );
    const values = copies.flatMap((copy) => ['-f', copy]);
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
    if (!/^Error: /m.test(stderr)) {
      const unchecked = `Not checked: what values mean together, because helm does not work: ${stderr}`;
      return { faults: [], unchecked };
    }
    const message = documents.reduce((said, { file }, n) => said.replaceAll(copies[n] ?? '', file), stderr);
    return { faults: [{ path: '', message }], unchecked: '' };
  } finally {
    await rm(folder, { recursive: true });
    keep();
  }
};

/**
 * Values may have been decrypted on their way here: no copy of them stays behind when the command is stopped.
 * @returns takes it back
 */
const removeOnSignals = (folder: string): (() => void) => {
  const remove = (signal: NodeJS.Signals): void => {
    rmSync(folder, { recursive: true, force: true });
    // With no one listening any more, it ends the process as it would have.
    process.kill(process.pid, signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.once(signal, remove);
  return () => {
    for (const signal of signals) process.off(signal, remove);
  };
};

const helm = async (args: readonly string[]): Promise<{ found: boolean; stderr: string }> =>
  new Promise((resolve) => {
    // Its words are read, so they shall be the same everywhere.
    const env = { ...process.env, HELM_DEBUG: 'false' };
    execFile('helm', args, { env, maxBuffer: 64 * 1024 * 1024 }, (error, _stdout, stderr) => {
      if (error === null) resolve({ found: true, stderr: '' });
      else resolve({ found: error.code !== 'ENOENT', stderr: stderr.trim() || error.message });
    });
  });

/** The lines that guards write: behind Helm's own that names their file, `key: what is wrong; what to do`. */
const faultsIn = (stderr: string): GuardReport['faults'] => {
  const lines = stderr.split('\n');
  const first = lines.findIndex((line) => line.includes('templates/guards.yaml'));
  if (first < 0) return [];
  return lines.slice(first + 1).flatMap((line) => {
    const [, key, message] = /^([A-Za-z][^\s:]*): (.+)$/.exec(line.trim()) ?? [];
    return key === undefined || message === undefined ? [] : [{ path: key, message }];
  });
};
