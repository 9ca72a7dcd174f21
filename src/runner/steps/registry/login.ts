import { rm, writeFile } from 'node:fs/promises';
import type { StepContext } from '../../context.ts';
import type { MountedSecret } from '../../planned.ts';
import { loginFor, noLogin } from './credentials.ts';
import { registryOf } from './reference.ts';

/** A registry Secret that has landed. */
export interface Login {
  readonly secret: MountedSecret;
  /** Content of its docker config. */
  readonly text: string;
}

/**
 * Writes the docker config that a child gets instead of any other, for the registry of one reference alone and
 * readable by nobody else; what is secret in it is masked from now on. The caller removes it afterwards.
 * @param login null: anonymous
 * @throws RunError `SecretInvalid` for a Secret without usable credentials
 */
export async function writeLogin(
  file: string,
  ref: string,
  login: Login | null,
  { mask }: Pick<StepContext, 'mask'>,
): Promise<void> {
  const { config, secrets } =
    login === null
      ? { config: noLogin, secrets: [] }
      : await loginFor(login.text, registryOf(ref), login.secret);
  for (const secret of secrets) mask(secret);
  await rm(file, { force: true });
  await writeFile(file, JSON.stringify(config), { mode: 0o600, flag: 'wx' });
}
