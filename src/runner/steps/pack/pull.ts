import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RunError } from '../../../contract/index.ts';
import type { StepContext } from '../../context.ts';
import type { PackStep } from '../../planned.ts';
import { runLogged } from '../child.ts';
import { diskFullFrom } from '../disk.ts';
import { classifyPull } from './failure.ts';

/** Packs are small; oras itself would wait for a silent registry until the run's deadline. */
const LONGEST_PULL_MS = 600_000;

/**
 * Runs `oras pull` once, into a folder that is made anew.
 * @param configFile docker config that is used instead of any other
 * @returns digest of the manifest, `sha256:…`; empty when oras did not print it
 * @throws RunError, transient where another try can help
 */
export async function pullOnce(
  step: PackStep,
  configFile: string,
  folder: string,
  context: StepContext,
): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  const argv = [step.oras, 'pull', step.ref, '--output', folder, '--registry-config', configFile] as const;
  // Plain HTTP and unverified TLS are two different things: the one does not imply the other.
  const transport = [
    ...(step.plainHTTP ? ['--plain-http'] : []),
    ...(step.insecureTLS ? ['--insecure'] : []),
  ];
  const command = {
    argv: [...argv, ...transport] as [string, ...string[]],
    cwd: dirname(folder),
    env: { NO_COLOR: '1', DOCKER_CONFIG: undefined, ORAS_CACHE: undefined },
  };

  let digest = '';
  const { exitCode, signal, tail } = await withLimit(step, context, (limited) =>
    runLogged(command, limited, (line) => {
      digest = /^Digest: (sha256:[0-9a-f]{64})$/.exec(line.trim())?.[1] ?? digest;
    }),
  );
  if (exitCode === 0) return digest;
  throw (
    (await diskFullFrom(tail, dirname(folder), 'the data pack')) ??
    classifyPull(step, exitCode ?? signal, tail)
  );
}

/** Gives the work a context whose signal aborts after the longest time a pull may take, too. */
async function withLimit<T>(
  step: PackStep,
  context: StepContext,
  work: (limited: StepContext) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const over = new AbortController();
  const message = `${step.ref} was not pulled within ${LONGEST_PULL_MS / 60_000} minutes`;
  const hint =
    'The registry answers too slowly or not at all: check it, and the network between it and this node.';
  context.clock.sleep(LONGEST_PULL_MS, over.signal).then(
    () => limit.abort(new RunError('PackPullFailed', message, { hint, transient: true })),
    () => undefined,
  );
  try {
    return await work({ ...context, signal: AbortSignal.any([context.signal, limit.signal]) });
  } finally {
    over.abort();
  }
}
