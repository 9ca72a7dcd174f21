import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { archiveName, CHECKSUMS_FILE, hostArch, type Release } from '../standin/index.ts';

/** The criteria of both sides. */
export const CRITERIA = { service: 'eks', accelerator: 'h100', intent: 'training', os: 'ubuntu' } as const;

/** What anybody would write: no retries, no status, no pin. It ends where deploy.sh would begin. */
const SCRIPT = `
set -euo pipefail
base=$1 archive=$2 sums=$3
shift 3
curl -fsSLO "$base/$archive"
curl -fsSLO "$base/$sums"
grep "  $archive\\$" "$sums" | sha256sum --check --strict --quiet -
tar -xzf "$archive" aicr
./aicr recipe "$@" --output recipe.yaml
./aicr bundle --recipe recipe.yaml --deployer helm --output bundle
./aicr verify bundle
exec date +%s%N
`;

/**
 * Runs the script once.
 * @param folder where it gets a folder of its own
 * @param mirrorUrl serves the release
 * @returns milliseconds from its start to where deploy.sh would begin
 */
export async function runScript(folder: string, mirrorUrl: string, release: Release): Promise<number> {
  const cwd = await mkdtemp(join(folder, 'script-'));
  const archive = archiveName(release.version, hostArch());
  const criteria = Object.entries(CRITERIA).flatMap(([name, value]) => [`--${name}`, value]);
  const args = [`${mirrorUrl}/${release.version}`, archive, CHECKSUMS_FILE, ...criteria];
  const env = { HOME: cwd, TMPDIR: cwd };
  const start = Date.now();
  const { stdout } = await execa('bash', ['-c', SCRIPT, 'bash', ...args], { cwd, env, stdin: 'ignore' });
  return Number(stdout.split('\n').at(-1)) / 1e6 - start;
}
