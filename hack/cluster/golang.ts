import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { OLDEST_GO } from './versions.ts';

/** A Go program: a package of one of our own modules, or `package@version` straight from the module proxy. */
export type GoProgram = { package: string; ldflags: string } & (
  | { moduleFolder: string }
  | { version: string }
);

/**
 * Builds a Go program and moves it into place in one step, so that whoever sees the target sees a whole program.
 * @param program what to build
 * @param target path of the finished program
 * @throws Error with go's own last words, or what to install when Go is missing or too old
 */
export async function buildGo(program: GoProgram, target: string): Promise<void> {
  await checkGo();
  mkdirSync(dirname(target), { recursive: true });
  const folder = mkdtempSync(join(dirname(target), '.build-'));
  try {
    // Not stamped with the state of this repository: `go build` would ask git, which refuses foreign checkouts.
    const flags = ['-trimpath', '-buildvcs=false', '-ldflags', `-s -w ${program.ldflags}`.trim()];
    const env = { CGO_ENABLED: '0', GOBIN: folder };
    const built =
      'moduleFolder' in program
        ? await go(
            ['build', ...flags, '-o', join(folder, 'program'), program.package],
            env,
            program.moduleFolder,
          )
        : await go(['install', ...flags, `${program.package}@v${program.version}`], env, folder);
    if (built.exitCode !== 0) {
      throw new Error(
        `go could not build ${program.package}:\n${built.stderr.split('\n').slice(-15).join('\n')}`,
      );
    }
    const made = 'moduleFolder' in program ? 'program' : (program.package.split('/').at(-1) ?? '');
    chmodSync(join(folder, made), 0o755);
    renameSync(join(folder, made), target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function go(args: string[], env: Record<string, string>, cwd: string) {
  return await execa('go', args, { env, cwd, reject: false, stdin: 'ignore' });
}

/** Go from 1.21 on fetches the toolchain a module asks for, unless GOTOOLCHAIN says otherwise. */
async function checkGo(): Promise<void> {
  const asked = await execa('go', ['env', 'GOVERSION', 'GOTOOLCHAIN'], { reject: false, stdin: 'ignore' });
  const advice = `Install Go ${OLDEST_GO} or newer (https://go.dev/dl/) and put it on PATH.`;
  if (asked.exitCode !== 0)
    throw new Error(`Go was not found: it builds the tools of the test cluster. ${advice}`);
  const [version = '', toolchain = ''] = asked.stdout.split('\n');
  const fetchesNewer = !toolchain.startsWith('local') && isAtLeast(version, '1.21');
  if (!isAtLeast(version, OLDEST_GO) && !fetchesNewer) throw new Error(`${version} is too old. ${advice}`);
}

function isAtLeast(version: string, oldest: string): boolean {
  const numbers = (text: string): number[] => (text.match(/\d+/g) ?? []).map(Number);
  const [major = 0, minor = 0] = numbers(version);
  const [oldMajor = 0, oldMinor = 0] = numbers(oldest);
  return major > oldMajor || (major === oldMajor && minor >= oldMinor);
}
