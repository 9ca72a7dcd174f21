import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { StepContext } from '../../context.ts';
import type { PackStep } from '../../planned.ts';
import type { StepOutcome } from '../outcome.ts';
import { type Login, writeLogin } from '../registry/index.ts';
import { retry } from '../retry.ts';
import { settlePack } from './content.ts';
import { pullOnce } from './pull.ts';
import { readSecret } from './secret.ts';

/**
 * Pulls the data pack. With a Secret it waits for the Secret and uses nothing else; without one it is anonymous, and
 * no docker config that happens to lie around is used either.
 */
export async function pull(step: PackStep, context: StepContext): Promise<StepOutcome> {
  const work = dirname(step.dir);
  context.status.note({ pack: { ref: step.ref, digest: '' } });
  await rm(step.dir, { recursive: true, force: true });

  const configFile = join(work, 'pack-auth.json');
  const pulled = `${step.dir}.partial`;
  try {
    await writeLogin(configFile, step.ref, await login(step, context), context);
    const digest = await retry(context, () => pullOnce(step, configFile, pulled, context));
    await settlePack(step, pulled);
    await writeFile(step.digestFile, digest);
    context.status.note({ pack: { ref: step.ref, digest } });
    return { message: `data pack ${step.ref} is here${digest === '' ? '' : ` (${digest})`}` };
  } finally {
    await Promise.all([rm(configFile, { force: true }), rm(pulled, { recursive: true, force: true })]);
  }
}

async function login({ secret, ref }: PackStep, context: StepContext): Promise<Login | null> {
  return secret === null ? null : { secret, text: await readSecret(secret, ref, context) };
}
