import { createHash } from 'node:crypto';
import { execa } from 'execa';
import { toolPath } from '../cluster/index.ts';

/** A manifest as a registry has it. */
export interface Manifest {
  /** `sha256:` and 64 hex digits, of the bytes that came. */
  readonly digest: string;
  readonly document: {
    readonly layers?: readonly { readonly digest: string; readonly mediaType: string }[];
    readonly manifests?: readonly {
      readonly platform?: { readonly os: string; readonly architecture: string };
    }[];
  };
}

/**
 * Reads the manifest behind a reference, with the credentials of Docker's configuration.
 * @param reference with its registry: `docker.io/library/node:24`
 * @returns undefined when the registry says that there is none
 * @throws Error with oras' own words when it could not be asked
 */
export async function fetchManifest(reference: string): Promise<Manifest | undefined> {
  const argv = ['manifest', 'fetch', ...plainHttp(reference), reference];
  const options = { encoding: 'buffer', reject: false, stdin: 'ignore', stripFinalNewline: false } as const;
  const { exitCode, stdout, stderr } = await execa(toolPath('oras'), argv, options);
  if (exitCode === 0) {
    const digest = `sha256:${createHash('sha256').update(stdout).digest('hex')}`;
    return { digest, document: JSON.parse(Buffer.from(stdout).toString('utf8')) as Manifest['document'] };
  }
  const said = Buffer.from(stderr).toString('utf8').trim();
  if (/: not found$|manifest unknown|name unknown/im.test(said)) return undefined;
  throw new Error(`${reference}: the registry could not be asked: ${said}`);
}

/** Only a registry on this machine is spoken to without TLS: the flag for oras and helm, or none. */
export const plainHttp = (reference: string): readonly string[] =>
  /^(127\.0\.0\.1|localhost)(:\d+)?\//.test(reference) ? ['--plain-http'] : [];
