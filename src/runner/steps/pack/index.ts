import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { StepContext } from '../../context.ts';
import type { PackStep } from '../../planned.ts';
import type { StepOutcome } from '../outcome.ts';
import { retry } from '../retry.ts';
import { settlePack } from './content.ts';
import { type DockerConfig, loginFor, noLogin } from './credentials.ts';
import { pullOnce } from './pull.ts';
import { registryOf } from './reference.ts';
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
    await writePrivately(configFile, await dockerConfig(step, context));
    const digest = await retry(context, () => pullOnce(step, configFile, pulled, context));
    await settlePack(step, pulled);
    await writeFile(step.digestFile, digest);
    context.status.note({ pack: { ref: step.ref, digest } });
    return { message: `data pack ${step.ref} is here${digest === '' ? '' : ` (${digest})`}` };
  } finally {
    await Promise.all([rm(configFile, { force: true }), rm(pulled, { recursive: true, force: true })]);
  }
}

async function dockerConfig(step: PackStep, context: StepContext): Promise<DockerConfig> {
  if (step.secret === '') return noLogin;
  const text = await readSecret(step, context);
  const { config, secrets } = await loginFor(text, registryOf(step.ref), step.secret);
  for (const secret of secrets) context.mask(secret);
  return config;
}

async function writePrivately(file: string, config: DockerConfig): Promise<void> {
  await rm(file, { force: true });
  await writeFile(file, JSON.stringify(config), { mode: 0o600, flag: 'wx' });
}
