import { RunError } from '../../../contract/index.ts';
import type { StepContext } from '../../context.ts';
import type { MountedSecret } from '../../planned.ts';
import { awaitSecrets, describeSecret } from '../secret/index.ts';

/**
 * Reads the docker config of the data pack's Secret; until it is there, the run waits and says so.
 * @param ref the data pack, for messages
 * @throws RunError `SecretMissing` when the run's deadline comes first; `SecretInvalid` when the Secret has another key,
 *   or cannot be read
 */
export async function readSecret(secret: MountedSecret, ref: string, context: StepContext): Promise<string> {
  const waiting = { why: `the data pack ${ref} needs it`, limitMs: Number.POSITIVE_INFINITY };
  const awaited = await awaitSecrets([secret], waiting, context).catch((error: unknown) => {
    const reason: unknown = context.signal.reason;
    if (!(reason instanceof RunError) || reason.code !== 'DeadlineExceeded') throw error;
    throw new RunError('SecretMissing', `${describeSecret(secret)} did not land before the run's deadline`, {
      hint: `Create it with \`kubectl create secret docker-registry\`, or clear ${secret.value} for a public pack.`,
      cause: reason,
    });
  });
  if ('texts' in awaited) return awaited.texts[0] ?? '';
  throw new RunError('SecretInvalid', awaited.why, {
    hint: 'Create it with `kubectl create secret docker-registry`: its type is kubernetes.io/dockerconfigjson.',
  });
}
