/**
 * Why a run ended, as a closed set of reason codes.
 *
 * A code stands in the status document, the termination message and Events; its exit code is the installer
 * container's. Codes are a public interface: rename none, give a new meaning a new code.
 */
export const EXIT_CODES = {
  /** A fault of the runner itself. */
  Internal: 1,
  /** run.json breaks the contract, or an argument can never work. */
  RunSpecInvalid: 10,
  /** aicr has no recipe for the criteria, or does not know one of them. */
  CriteriaRefused: 11,
  /** A Secret is there but cannot be used: another key, not JSON, no entry for the host, a credential helper that is not here. */
  SecretInvalid: 12,
  /** A Secret never landed within the time it was waited for. */
  SecretMissing: 13,
  /** The release's host or mirror did not deliver: unreachable, or an HTTP status that says no. */
  DownloadFailed: 20,
  /** The archive is not the one that the checksums file names. */
  ChecksumMismatch: 21,
  /** The checksums file is missing, empty, malformed, or has not exactly one entry for the archive. */
  ChecksumsInvalid: 22,
  /** The archive is not the one that aicrSha256 pins. */
  PinMismatch: 23,
  /** The archive is not a tar.gz with one regular file `aicr`. */
  ArchiveInvalid: 24,
  /** The binary does not start on this node: another CPU kind, a noexec /tmp, a broken file. */
  BinaryNotRunnable: 25,
  /** /tmp is full or too small. */
  DiskFull: 26,
  /** A program the run needs (bash, kubectl, helm, oras) is not in the image or does not start. */
  ToolMissing: 27,
  /** The data pack could not be pulled for a reason without a code of its own. */
  PackPullFailed: 30,
  /** The registry refused the credentials for the data pack. */
  PackUnauthorized: 31,
  /** The registry has no such data pack. */
  PackNotFound: 32,
  /** What was pulled is not a data pack. */
  PackInvalid: 33,
  /** `aicr recipe` failed for another reason than the criteria. */
  RecipeFailed: 40,
  /** `aicr bundle` failed. */
  BundleFailed: 41,
  /** `aicr verify` refused the bundle. */
  VerifyFailed: 42,
  /** `aicr upgrade-check` gave a component a verdict that upgradeCheck.failOn stops at; nothing was touched. */
  UpgradeBlocked: 43,
  /** The API server does not answer. */
  ClusterUnreachable: 50,
  /** The installer may not do what it must be able to do. */
  RightsMissing: 51,
  /** A Helm release of a component's name that no run of this chart made. */
  ForeignRelease: 52,
  /** Helm is in the middle of something with a release of the bundle, and no earlier run began it. */
  ReleasePending: 53,
  /** An older aicr than the one that reached deploy last. */
  DowngradeRefused: 54,
  /** deploy.sh failed, or a component did and --best-effort was not given. */
  DeployFailed: 60,
  /** Every component is installed; the restart of the DRA kubelet plugin was put off (deploy.sh exit 2). */
  DeployDeferred: 61,
  /** The validation's verdict is bad, and validate.failOnError is set. */
  ValidationFailed: 70,
  /** The evidence could not be published, and validate.publish.failOnError is set. */
  PublishFailed: 71,
  /** The identity token had expired when the run began, and validate.publish.failOnError is set. */
  IdentityTokenExpired: 72,
  /** The run's own deadline came. */
  DeadlineExceeded: 80,
  /** SIGTERM: upgraded over, uninstalled, evicted, or deleted. */
  Interrupted: 81,
  /** The pod was disrupted five times; the run gives up. */
  DisruptedTooOften: 82,
  /** Another run held the Lease longer than this one was to wait. */
  LockTimeout: 83,
  /** Another run took the Lease from this one. */
  LockLost: 84,
  /** A newer run of the same release stands for this one. */
  Superseded: 85,
} as const;

/** One of the closed set of reason codes. */
export type ReasonCode = keyof typeof EXIT_CODES;

/** What a {@link RunError} carries beside its message. */
export interface RunErrorDetails {
  /** What the user should do, as one sentence. */
  readonly hint: string;
  readonly cause?: unknown;
  /** True where trying again within the run can help; only transient errors are. */
  readonly transient?: boolean;
  /** Last output lines of the child process that failed, oldest first. */
  readonly tail?: readonly string[];
}

/**
 * A failure with a reason code, a message that names the value, file, URL or step, and a hint.
 * Anything thrown in the runner that is not a RunError is a fault of ours and becomes `Internal`.
 */
export class RunError extends Error {
  override readonly name = 'RunError';
  readonly code: ReasonCode;
  readonly hint: string;
  readonly transient: boolean;
  readonly tail: readonly string[];

  constructor(code: ReasonCode, message: string, details: RunErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.hint = details.hint;
    this.transient = details.transient ?? false;
    this.tail = details.tail ?? [];
  }

  /** Exit code of the installer container for this error, 1 to 255. */
  get exitCode(): number {
    return EXIT_CODES[this.code];
  }
}
