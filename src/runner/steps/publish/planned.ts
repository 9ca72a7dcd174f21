import type { EvidenceTarget } from '../evidence/index.ts';

/** Publish the evidence bundle with `aicr evidence publish`, and keep its pointer. */
export interface PublishStep {
  readonly name: 'publish';
  /** What the step does, for people: `publish the evidence, unsigned, to ghcr.io/acme/evidence`. */
  readonly does: string;
  readonly argv: readonly [string, ...string[]];
  /** What `--emit-attestation` was given; aicr writes pointer.yaml into it. */
  readonly dir: string;
  /** Where the packed bundle is put. */
  readonly archive: string;
  readonly ref: string;
  readonly plainHTTP: boolean;
  /** Where the docker config for aicr is made; removed afterwards. */
  readonly configDir: string;
  /** Null: anonymous. */
  readonly registrySecret: MountedSecret | null;
  /** Null: unsigned. */
  readonly identityToken: MountedSecret | null;
  /** A failure fails the Job. */
  readonly failOnError: boolean;
  readonly target: EvidenceTarget;
}

/** A Secret whose keys are files of a folder; the folder is empty until the Secret lands. */
export interface MountedSecret {
  readonly name: string;
  readonly namespace: string;
  readonly key: string;
  readonly dir: string;
  /** Value that names it, for messages: `validate.publish.registrySecret`. */
  readonly value: string;
}
