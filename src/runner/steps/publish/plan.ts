import type { EvidenceTarget } from '../evidence/index.ts';
import type { MountedSecret, PublishStep } from './planned.ts';

/** What the values say about publishing. */
export interface PublishWish {
  readonly mode: 'signed' | 'unsigned';
  readonly ref: string;
  /** Empty: anonymous. */
  readonly registrySecret: string;
  readonly identityToken: { readonly secret: string; readonly key: string };
  readonly failOnError: boolean;
  readonly plainHTTP: boolean;
  readonly insecureTLS: boolean;
}

/** Where the run keeps what publishing reads and writes. */
export interface PublishFiles {
  readonly aicr: string;
  readonly evidence: string;
  readonly archive: string;
  /** Folder for the docker config of this one child. */
  readonly configDir: string;
  /** Where the registry's Secret is mounted. */
  readonly registryDir: string;
  /** Where the identity token's Secret is mounted. */
  readonly tokenDir: string;
}

/** Key of a Secret of type kubernetes.io/dockerconfigjson. */
const DOCKER_CONFIG_KEY = '.dockerconfigjson';

/** Plans `aicr evidence publish`, with its argument list written out. */
export function planPublish(wish: PublishWish, files: PublishFiles, target: EvidenceTarget): PublishStep {
  const signed = wish.mode === 'signed';
  const { namespace } = target;
  const registrySecret: MountedSecret = {
    name: wish.registrySecret,
    namespace,
    key: DOCKER_CONFIG_KEY,
    dir: files.registryDir,
    value: 'validate.publish.registrySecret',
  };
  const identityToken: MountedSecret = {
    name: wish.identityToken.secret,
    namespace,
    key: wish.identityToken.key,
    dir: files.tokenDir,
    value: 'validate.publish.identityTokenSecret',
  };
  const as = wish.registrySecret === '' ? 'anonymously' : `with Secret ${wish.registrySecret}`;
  return {
    name: 'publish',
    does: `publish the evidence, ${wish.mode}, to ${wish.ref} ${as}`,
    argv: [
      files.aicr,
      'evidence',
      'publish',
      files.evidence,
      '--push',
      wish.ref,
      '--yes',
      ...(signed ? [] : ['--no-sign']),
      ...(wish.plainHTTP ? ['--plain-http'] : []),
      ...(wish.insecureTLS ? ['--insecure-tls'] : []),
    ],
    dir: files.evidence,
    archive: files.archive,
    ref: wish.ref,
    plainHTTP: wish.plainHTTP,
    configDir: files.configDir,
    registrySecret: wish.registrySecret === '' ? null : registrySecret,
    identityToken: signed ? identityToken : null,
    failOnError: wish.failOnError,
    target,
  };
}
