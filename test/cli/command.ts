import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleCommand } from '../../hack/bundle-command.ts';
import { helmPath } from '../../hack/cluster/tools.ts';
import { CHANGELOG, scratchFolder } from '../render/chart.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What the program of a few bytes is said to hold. */
export const PACKAGES = [
  { name: 'yaml', version: '2.9.1', license: 'ISC', integrity: `sha512-${'A'.repeat(86)}==` },
];

/** The command as it is installed: the bundle in a package of its own, with a program of a few bytes. */
export const installCommand = async (): Promise<string> => {
  const folder = scratchFolder('package');
  for (const part of ['package.json', 'values.schema.json', 'chart-templates', 'catalog-templates']) {
    cpSync(path.join(root, part), path.join(folder, part), { recursive: true });
  }
  writeFileSync(path.join(folder, 'CHANGELOG.md'), CHANGELOG);
  await bundleCommand(path.join(folder, 'dist', 'cli.mjs'));
  mkdirSync(path.join(folder, 'dist', 'program'));
  writeFileSync(path.join(folder, 'dist', 'program', 'runner.mjs.br'), new Uint8Array([0xff, 0]));
  writeFileSync(path.join(folder, 'dist', 'program', 'handover.mjs'), 'hello');
  writeFileSync(path.join(folder, 'dist', 'program', 'packages.json'), JSON.stringify(PACKAGES));
  return folder;
};

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder for PATH that holds one helm, named helm. */
export const pathWithHelm = (generation: 3 | 4): string => {
  const folder = scratchFolder('path');
  symlinkSync(helmPath(generation), path.join(folder, 'helm'));
  return folder;
};

interface RunOptions {
  readonly cwd?: string;
  readonly path?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Closes the other end of what the command prints into. */
  readonly nobodyReads?: boolean;
}

/** Runs the installed command in a folder. Nothing but what is said is on PATH. */
export const runCommand = async (
  installed: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Outcome> =>
  new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [path.join(installed, 'dist', 'cli.mjs'), ...args],
      {
        cwd: options.cwd ?? installed,
        env: { PATH: options.path ?? '/nowhere', HOME: installed, ...options.env },
      },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
    child.stdin?.end(options.stdin ?? '');
    if (options.nobodyReads === true) child.stdout?.destroy();
  });
