import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MountedSecret } from '../../planned.ts';
import { codeOf } from '../../ports/index.ts';

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
  try {
    // The kubelet's own entries begin with two dots; keys may not.
    const keys = (await readdir(secret.dir)).filter((name) => !name.startsWith('..'));
    if (keys.length === 0) return { state: 'missing' };
    if (keys.includes(secret.key)) {
      return { state: 'ready', text: await readFile(join(secret.dir, secret.key), 'utf8') };
    }
    return {
      state: 'unusable',
      why: `${describeSecret(secret)} has no key ${secret.key} (its keys: ${keys.sort().join(', ')})`,
    };
  } catch (error) {
    const code = codeOf(error);
    // No folder yet; or an update has swapped it between listing and reading.
    if (code === 'ENOENT') return { state: 'missing' };
    return {
      state: 'unusable',
      why: `${describeSecret(secret)} cannot be read (${code}): check fsGroup in job.podSecurityContext`,
    };
  }
}

/** A Secret in words: `Secret cosign-token (validate.publish.identityTokenSecret) in namespace gpu`. */
export const describeSecret = ({ name, namespace, value }: MountedSecret): string =>
  `Secret ${name} (${value}) in namespace ${namespace}`;
