import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MountedSecret } from './planned.ts';

/** What a mounted Secret looks like right now. */
export type SecretState =
  | { readonly state: 'ready'; readonly text: string }
  /** It has not landed. */
  | { readonly state: 'missing' }
  /** It is there but cannot be used; `why` is a sentence that quotes no content. */
  | { readonly state: 'unusable'; readonly why: string };

/**
 * Looks at a Secret that is mounted whole: a folder without files is a Secret that has not landed, one with files but
 * without the key a Secret with a wrong key.
 */
export async function lookAtSecret(secret: MountedSecret): Promise<SecretState> {
  const keys = (await readdir(secret.dir).catch(() => [])).filter((name) => !name.startsWith('..'));
  if (keys.length === 0) return { state: 'missing' };
  if (!keys.includes(secret.key)) {
    return {
      state: 'unusable',
      why: `${describe(secret)} has no key ${secret.key} (its keys: ${keys.sort().join(', ')})`,
    };
  }
  try {
    return { state: 'ready', text: await readFile(join(secret.dir, secret.key), 'utf8') };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // Between listing and reading, an update may swap the folder.
    if (code === 'ENOENT') return { state: 'missing' };
    return {
      state: 'unusable',
      why: `${describe(secret)} cannot be read (${code}): check fsGroup in job.podSecurityContext`,
    };
  }
}

/** A Secret in words: `Secret cosign-token (validate.publish.identityTokenSecret) in namespace gpu`. */
export const describe = ({ name, namespace, value }: MountedSecret): string =>
  `Secret ${name} (${value}) in namespace ${namespace}`;
