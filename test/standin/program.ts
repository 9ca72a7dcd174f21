import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import {
  buildRelease,
  type PackName,
  packFolder,
  packHeaders,
  type Release,
  releaseBinary,
  releaseFolder,
} from '../../hack/standin/index.ts';

/** The first build of the stand-in on a cold machine takes this long at most, in milliseconds. */
export const COLD_BUILD = 5 * 60_000;

/** True when the tests run against a real aicr. */
export const REAL = (process.env['AICR_RELEASE_DIR'] ?? '') !== '';

export interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** An aicr to test: the stand-in, or the real one of AICR_RELEASE_DIR. */
export interface Program {
  readonly release: Release;
  /** A folder of its own, gone after `remove`. */
  readonly dir: string;
  /** Runs it in `dir`, with an environment that holds nothing but PATH, HOME and what is given. */
  run(args: readonly string[], env?: Record<string, string>): Promise<Outcome>;
  /** Copies a data pack with this version's headers into `dir`. @returns its folder */
  pack(name: PackName): Promise<string>;
  remove(): Promise<void>;
}

/** @param version of the stand-in; without it the release that AICR_RELEASE_DIR asks for */
export async function openProgram(version?: string): Promise<Program> {
  const dir = await mkdtemp(path.join(tmpdir(), 'standin-'));
  const assets = path.join(dir, 'release');
  const release =
    version === undefined
      ? await releaseFolder({ dir: assets })
      : await buildRelease({ version, dir: assets });
  const binary = await releaseBinary(release, path.join(dir, 'bin'));
  return {
    release,
    dir,
    run: (args, env = {}) => start(binary, args, dir, env),
    pack: (name) => packFolder(name, { headers: packHeaders(release.version), into: path.join(dir, name) }),
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}

/** Runs a command without anything of this process's environment. */
export async function start(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string>,
): Promise<Outcome> {
  const result = await execa(command, args, {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: cwd, ...env },
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
  });
  return { exitCode: result.exitCode ?? -1, stdout: result.stdout, stderr: result.stderr };
}

/** What aicr says at the end of a failure: everything from the last `command failed:` on, over several lines too. */
export function failureText(outcome: Outcome): string {
  return outcome.stderr.slice(outcome.stderr.lastIndexOf('[cli] command failed: '));
}
