import { readFile } from 'node:fs/promises';
import { RunError } from '../../../contract/index.ts';
import type { StepContext } from '../../context.ts';
import type { PackStep } from '../../planned.ts';

const POLL_MS = 2_000;

/**
 * Reads the Secret's docker config where it is mounted. Fleets deliver Secrets late: until it is there, the run waits
 * and says so.
 * @returns the file's text
 * @throws RunError `SecretMissing` when the run's deadline comes first; `SecretInvalid` when it cannot be read
 */
export async function readSecret(step: PackStep, context: StepContext): Promise<string> {
  const found = await readIfThere(step);
  if (found !== null) return found;

  const name = `Secret ${step.secret} (type kubernetes.io/dockerconfigjson) in namespace ${step.namespace}`;
  await context.status.waitingForSecret(`waiting for ${name}: the data pack ${step.ref} needs it`);
  for (;;) {
    await sleep(context, name);
    const text = await readIfThere(step);
    if (text === null) continue;
    await context.status.secretLanded(`${name} is here`);
    return text;
  }
}

async function sleep(context: StepContext, name: string): Promise<void> {
  try {
    await context.clock.sleep(POLL_MS, context.signal);
  } catch (error) {
    const reason: unknown = context.signal.reason;
    if (!(reason instanceof RunError) || reason.code !== 'DeadlineExceeded') throw error;
    throw new RunError('SecretMissing', `${name} did not land before the run's deadline`, {
      hint: 'Create it with `kubectl create secret docker-registry`, or clear dataPackSecret for a public pack. A Secret that is there but has no key .dockerconfigjson looks the same.',
      cause: reason,
    });
  }
}

async function readIfThere(step: PackStep): Promise<string | null> {
  try {
    return await readFile(step.secretFile, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return null;
    throw new RunError(
      'SecretInvalid',
      `Secret ${step.secret} cannot be read at ${step.secretFile} (${code})`,
      {
        hint: "The pod's fsGroup must be able to read it: check job.podSecurityContext.",
        cause: error,
      },
    );
  }
}
