/**
 * The plan of a run: what each step will do, down to its argument lists. Made by the pure `plan`; nothing in it
 * depends on what an earlier step finds out.
 */
export type PlannedStep =
  | DownloadStep
  | PackStep
  | RecipeStep
  | BundleStep
  | VerifyStep
  | ReleasesStep
  | UpgradeCheckStep
  | DeployStep
  | ValidateStep
  | EvidenceStep
  | PublishStep;

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
  /** Null: anonymous. */
  readonly secret: MountedSecret | null;
  readonly oras: string;
  /** Where the pack is put: the folder that holds registry.yaml. */
  readonly dir: string;
  /** The manifest's digest, written for the recipe's summary. */
  readonly digestFile: string;
}

/** A Secret that is mounted whole: its keys are files of a folder, which is empty until the Secret lands. */
export interface MountedSecret {
  readonly name: string;
  readonly namespace: string;
  /** The key that is wanted of it. */
  readonly key: string;
  readonly dir: string;
  /** The chart's value that names it, for messages: `validate.publish.registrySecret`. */
  readonly value: string;
}

/** What a step needs to know of the ConfigMap that receives a result. */
export interface ResultTarget {
  /** Empty: the result is not kept. */
  readonly configMap: string;
  readonly release: string;
  readonly namespace: string;
}

/** Where the recipe step leaves what the ConfigMap of the recipe holds; it is stated anew when something is added. */
export interface RecipeFiles {
  /** The recipe as aicr wrote it. */
  readonly file: string;
  readonly summary: string;
}

/** Resolve the recipe and write it down. */
export interface RecipeStep extends Planned<'recipe'> {
  readonly argv: readonly [string, ...string[]];
  readonly recipe: RecipeFiles;
  readonly target: ResultTarget;
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
  /** What UPGRADING.md joins when the bundle has one, and where. */
  readonly recipe: RecipeFiles;
  readonly target: ResultTarget;
}

/** Check the bundle against its own checksums. */
export interface VerifyStep extends Planned<'verify'> {
  readonly argv: readonly [string, ...string[]];
  readonly dir: string;
}

/** Look at the Helm releases that the bundle will install or upgrade. */
export interface ReleasesStep extends Planned<'releases'> {
  /** The bundle. */
  readonly dir: string;
  readonly access: Access;
  /** Release tag of aicr. */
  readonly version: string;
  /** This release of the chart. */
  readonly release: { readonly name: string; readonly namespace: string };
  /** What becomes of a Helm release that no run made. */
  readonly existing: 'refuse' | 'adopt';
  readonly allowDowngrade: boolean;
  /** Empty: there is none. */
  readonly statusConfigMap: string;
  /** Where the list of the releases that runs made is kept. */
  readonly lockNamespace: string;
  /** Where the step leaves what the deploy step writes into that list. */
  readonly claimsFile: string;
}

/** Ask aicr about the move from what the cluster has to what the recipe pins, before anything is touched. */
export interface UpgradeCheckStep extends Planned<'upgradeCheck'> {
  readonly argv: readonly [string, ...string[]];
  /** Ends with 0 where this aicr has the check. */
  readonly helpArgv: readonly [string, ...string[]];
  /** The bundle's folder; its checksums tell whether the cluster has it already. */
  readonly dir: string;
  /** Where aicr's report is put. */
  readonly reportFile: string;
  /** Verdicts that stop the run. */
  readonly failOn: readonly string[];
  readonly target: ResultTarget;
  /** ConfigMap with the documents of earlier runs; empty: there are none. */
  readonly statusConfigMap: string;
  /** Release tag of aicr, for the summary. */
  readonly version: string;
}

/** Run the bundle's deploy.sh. */
export interface DeployStep extends Planned<'deploy'> {
  readonly argv: readonly [string, ...string[]];
  readonly dir: string;
  readonly bestEffort: boolean;
  /** What the releases step left. */
  readonly claimsFile: string;
}

/** What the installer is said to be allowed to do. */
export interface Access {
  readonly clusterRole: string;
  /** With another ClusterRole than cluster-admin, missing rights are a warning instead of a failure. */
  readonly required: boolean;
}

/** Run `aicr validate` and write its verdict down. */
export interface ValidateStep extends Planned<'validate'> {
  readonly argv: readonly [string, ...string[]];
  readonly phases: readonly string[];
  /** Where aicr writes its CTRF report. */
  readonly reportFile: string;
  /** Where aicr puts the evidence; empty: none is wanted. */
  readonly evidenceDir: string;
  /** A bad verdict fails the run, after everything that is to be kept is kept. */
  readonly failOnError: boolean;
  readonly target: ResultTarget;
  /** Release tag of aicr, for the summary. */
  readonly version: string;
  /** Checked before; null when the deploy step has done so. */
  readonly access: Access | null;
}

/** Keep the evidence bundle that `aicr validate` emitted. */
export interface EvidenceStep extends Planned<'evidence'> {
  /** What `--emit-attestation` was given: pointer.yaml and summary-bundle/. */
  readonly dir: string;
  /** Where the packed bundle is put. */
  readonly archive: string;
  readonly target: ResultTarget;
}

/** Publish the evidence bundle with `aicr evidence publish`, and keep its pointer. */
export interface PublishStep extends Planned<'publish'> {
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
  /** A failure fails the run. */
  readonly failOnError: boolean;
  readonly target: ResultTarget;
}
