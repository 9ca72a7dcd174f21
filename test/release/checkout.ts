import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { scratchFolder } from '../render/chart.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What a machine may do differently from another one. */
export interface Machine {
  readonly umask: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * A second checkout with the same files as this one, installed packages too.
 * @param name part of the folder's name
 * @returns its path
 */
export const copyCheckout = (name: string): string => {
  const copy = path.join(scratchFolder(name), 'deep', 'checkout');
  mkdirSync(copy, { recursive: true });
  const listing = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', listing, { cwd: root, encoding: 'utf8' }).split('\0');
  for (const file of files.filter((one) => one !== '')) cpSync(path.join(root, file), path.join(copy, file));
  // Hard links: a fraction of the time, and real folders to esbuild, which follows symbolic ones.
  execFileSync('cp', ['-al', path.join(root, 'node_modules'), copy]);
  return copy;
};

/** Runs shell lines in a checkout as on another machine. */
export const runOn = async (checkout: string, { umask, env }: Machine, script: string): Promise<string> => {
  const options = { cwd: checkout, env: { ...env, npm_config_offline: 'true' }, stdin: 'ignore' } as const;
  return (await execa('sh', ['-ec', `umask ${umask}; ${script}`], options)).stdout;
};
