/**
 * The plan of a run: what each step will do, down to its argument lists. Made by the pure `plan`; nothing in it
 * depends on what an earlier step finds out.
 */
export type PlannedStep = DownloadStep | PackStep | RecipeStep | BundleStep | VerifyStep | DeployStep;

interface Planned<Name extends string> {
  readonly name: Name;
  /** What the step does, for people: `download aicr v1.2.0 (linux/amd64) from https://…`. */
  readonly does: string;
}

/** Fetch the archive, check it, take aicr out of it. */
export interface DownloadStep extends Planned<'download'> {
  readonly version: string;
  readonly arch: 'amd64' | 'arm64';
  readonly archiveName: string;
  readonly archiveUrl: string;
  readonly checksumsUrl: string;
  /** Lower-case hex, or empty: no pin. */
  readonly pin: string;
  /** Where aicr is put; its attestation, when the archive has one, goes beside it. */
  readonly binary: string;
}

/** Pull the data pack. */
export interface PackStep extends Planned<'pack'> {
  readonly ref: string;
  readonly plainHTTP: boolean;
  readonly insecureTLS: boolean;
  /** Name of the Secret, for messages; empty: anonymous. */
  readonly secret: string;
  /** Namespace of the Secret, for messages. */
  readonly namespace: string;
  /** The docker config that the Secret's mount makes, once it has landed. */
  readonly secretFile: string;
  readonly oras: string;
  /** Where the pack is put: the folder that holds registry.yaml. */
  readonly dir: string;
  /** The manifest's digest, written for the recipe's summary. */
  readonly digestFile: string;
}

/** What a step needs to know of the ConfigMap that receives the recipe. */
export interface RecipeTarget {
  /** Empty: not captured. */
  readonly configMap: string;
  readonly release: string;
  readonly namespace: string;
}

/** Resolve the recipe and write it down. */
export interface RecipeStep extends Planned<'recipe'> {
  readonly argv: readonly [string, ...string[]];
  readonly file: string;
  readonly target: RecipeTarget;
  /** Release tag of aicr, for the summary. */
  readonly version: string;
  /** Criteria as asked, for the summary; those not stated are left out. */
  readonly criteria: Readonly<Record<string, string>>;
  readonly packRef: string;
  /** Where the pack step left the pack's digest. */
  readonly packDigestFile: string;
}

/** Render the recipe into a bundle of Helm releases. */
export interface BundleStep extends Planned<'bundle'> {
  readonly argv: readonly [string, ...string[]];
  readonly dir: string;
  /** Where UPGRADING.md goes when the bundle has one. */
  readonly target: RecipeTarget;
}

/** Check the bundle against its own checksums. */
export interface VerifyStep extends Planned<'verify'> {
  readonly argv: readonly [string, ...string[]];
  readonly dir: string;
}

/** Run the bundle's deploy.sh. */
export interface DeployStep extends Planned<'deploy'> {
  readonly argv: readonly [string, ...string[]];
  readonly dir: string;
  readonly bestEffort: boolean;
  /** With another ClusterRole than cluster-admin, missing rights are a warning instead of a failure. */
  readonly rightsRequired: boolean;
  readonly clusterRole: string;
}
