import type { ReasonCode } from './errors.ts';

/** What a reason code means to the person who has to act on it. */
export interface Explanation {
  /** What happened. */
  readonly cause: string;
  /** Where more can be seen. */
  readonly look: string;
  /** What to do about it. */
  readonly act: string;
}

/**
 * Every reason code explained. docs/troubleshooting.md is generated from this; the runner's own messages carry the
 * particulars (the value, the file, the URL), which cannot be known here.
 */
export const EXPLANATIONS: Readonly<Record<ReasonCode, Explanation>> = {
  Internal: {
    cause: 'A fault of the installer itself.',
    look: 'The end of the log.',
    act: 'Report it with the log and the status document; run it again.',
  },
  RunSpecInvalid: {
    cause: '`run.json` breaks the contract between chart and installer, or an argument can never work.',
    look: 'The message lists each place.',
    act: 'Let the chart write the ConfigMap, and check the values with `nvidia-aicr-chart check`.',
  },
  CriteriaRefused: {
    cause: 'aicr has no recipe for the criteria, or does not know one of them.',
    look: "The message is aicr's own; where each criterion is known and only their combination is not, it lists those it supports.",
    act: 'Correct `service`, `accelerator`, `intent`, `os`, `platform`, or bring the recipe in a data pack. See [Criteria](criteria.md).',
  },
  SecretInvalid: {
    cause: 'A registry Secret is there and cannot be used.',
    look: 'The message names the Secret and what is wrong: another key, not JSON, no entry for the host, a credential helper.',
    act: 'Make it anew with `kubectl create secret docker-registry`, then run again with a new `runId`.',
  },
  SecretMissing: {
    cause: 'A Secret did not land within the time the run waits for it.',
    look: '`kubectl get secret -n <namespace>`',
    act: 'Create or deliver the Secret, then run again. See [Data packs and their Secrets](packs.md).',
  },
  DownloadFailed: {
    cause: 'The host of the aicr release, or the mirror, did not deliver.',
    look: 'The message names the URL and the HTTP status or the network error.',
    act: 'Check `aicrVersion`, `aicrSource.baseUrl`, and whether pods may reach that host.',
  },
  ChecksumMismatch: {
    cause: 'The archive is not the one that the checksums file names. Nothing of it was run.',
    look: 'The message gives both hashes, the size and the content type that came.',
    act: 'A proxy or captive portal in between is the usual cause; otherwise compare the mirror with the release page.',
  },
  ChecksumsInvalid: {
    cause: 'The checksums file is missing, empty, malformed, or has not exactly one entry for the archive.',
    look: 'The message says which of these, and the URL.',
    act: 'Complete the mirror: `aicr_checksums.txt` of the release lies beside the archive.',
  },
  PinMismatch: {
    cause: 'The archive is not the one that `aicrSha256` pins.',
    look: 'The message gives both hashes.',
    act: 'After changing `aicrVersion`, change the pin with it. Otherwise somebody replaced the archive: find out who.',
  },
  ArchiveInvalid: {
    cause: 'The archive is not a gzipped tar with one regular file `aicr`.',
    look: 'The message names the entry that was refused.',
    act: 'Fetch the release anew for the mirror.',
  },
  BinaryNotRunnable: {
    cause: 'A program does not start on this node: another CPU kind, a `/tmp` mounted noexec, a broken file.',
    look: 'The message names the file and what the kernel said.',
    act: 'Leave `aicrArch` at `auto`, or place the pod on a node of that kind with `job.nodeSelector`.',
  },
  DiskFull: {
    cause: '`/tmp` has too little room.',
    look: 'The message says how much is needed and how much there is.',
    act: 'Raise `job.tmpSizeLimit`, and `job.resources.limits.ephemeral-storage` with it.',
  },
  ToolMissing: {
    cause: 'A program the run needs is not in `runtimeImage` or `orasImage`.',
    look: 'The message names it.',
    act: 'Use an image with bash, curl, kubectl and helm (`runtimeImage`), or a statically linked oras (`orasImage`).',
  },
  PackPullFailed: {
    cause: 'The data pack could not be pulled.',
    look: "The message ends in oras' own words.",
    act: 'Check the reference, the network, and `dataPackPlainHTTP` and `dataPackInsecureTLS` for laboratory registries.',
  },
  PackUnauthorized: {
    cause: 'The registry refused the credentials for the data pack. It is never tried anonymously instead.',
    look: 'The message names the Secret and the host.',
    act: 'Correct the Secret, then run again with a new `runId`.',
  },
  PackNotFound: {
    cause: 'The registry has no such data pack.',
    look: '`oras manifest fetch <reference>` from your workstation.',
    act: 'Correct `dataPack`. Some registries answer so when credentials lack the right to read.',
  },
  PackInvalid: {
    cause: 'What was pulled is not a data pack.',
    look: 'The message says what was found instead of `registry.yaml`.',
    act: 'Push from inside the folder of the pack. See [Data packs and their Secrets](packs.md).',
  },
  RecipeFailed: {
    cause: '`aicr recipe` failed for another reason than the criteria.',
    look: "The last lines are aicr's own.",
    act: 'Mostly an argument in `recipeArgs` or a data pack written for another aicr version.',
  },
  BundleFailed: {
    cause: '`aicr bundle` failed.',
    look: "The last lines are aicr's own.",
    act: 'Mostly an argument in `bundleArgs`: a component name, a path, a missing node selector.',
  },
  VerifyFailed: {
    cause: '`aicr verify` refused the rendered bundle. Nothing was deployed.',
    look: 'The message names the file.',
    act: 'Run it again; when it stays, report it to aicr.',
  },
  UpgradeBlocked: {
    cause:
      '`aicr upgrade-check` gave a component a verdict that `upgradeCheck.failOn` stops at. Nothing was touched.',
    look: "`kubectl get cm aicr-upgrade-check -n <namespace> -o jsonpath='{.data.summary\\.txt}'` (the name is `upgradeCheck.configMap`)",
    act: 'Bring the component to the version that the reason names, by its own release notes, then run again with a new `runId`; or set `upgradeCheck.failOn` to `[]` and accept the risk. See [The upgrade check](upgrade-check.md).',
  },
  ClusterUnreachable: {
    cause: 'The API server does not answer the installer.',
    look: 'The log; network policies of the namespace.',
    act: "Let the pod reach the cluster's API server, then run it again.",
  },
  RightsMissing: {
    cause: 'The installer may not do what a bundle needs.',
    look: 'The message lists what is missing.',
    act: 'Leave `rbac.create` at true, or bind a role that may do everything. See [Supply chain and rights](supply-chain.md).',
  },
  ForeignRelease: {
    cause:
      "A Helm release of a component's name was made by somebody else: another tool, another chart, or by hand. Nothing was touched.",
    look: 'The message names each; `kubectl get cm nvidia-aicr-components -n kube-system -o yaml` lists those that runs made (the namespace is `lock.namespace`).',
    act: 'Leave the component out with the `--set` that the message gives for `bundleArgs`, or set `deploy.existingReleases: adopt` to take it over. See [Helm releases](releases.md).',
  },
  ReleasePending: {
    cause:
      'Helm is in the middle of installing, upgrading or uninstalling a release of the bundle, and no earlier run of this release is known to have begun it. Nothing was touched.',
    look: '`helm history <name> -n <namespace>`',
    act: "Let whoever runs helm finish, then run again with a new `runId`. A run after the component's own timeout takes it for abandoned and goes on; an uninstall that was killed is yours to finish. See [Helm releases](releases.md).",
  },
  DowngradeRefused: {
    cause:
      'An older aicr than the one that reached deploy last, complete or not: mostly `helm rollback` or `--atomic`, which bring back the Job of the older revision. Nothing was touched.',
    look: 'The message names the newer run; its own status is still in the status ConfigMap, under the name of its Job.',
    act: 'Mend the newer version and upgrade again, or set `deploy.allowDowngrade: true` where going back is meant.',
  },
  DeployFailed: {
    cause: "The bundle's `deploy.sh` failed, or a component did and `--best-effort` was not given.",
    look: 'The status lists each component; the last lines hold the first error of each that failed.',
    act: 'Mend the cause and run it again: components that are installed are only upgraded in place.',
  },
  DeployDeferred: {
    cause:
      'Every component is installed; the restart of the DRA kubelet plugin was put off, because the GPU driver had not settled.',
    look: '`kubectl get nodes -L nvidia.com/gpu-driver-upgrade-state`',
    act: 'Wait until the GPU operator is done, then run it again.',
  },
  ValidationFailed: {
    cause:
      'The verdict of `aicr validate` is bad, and `validate.failOnError` is set. What was installed is left as it is.',
    look: "`kubectl get cm aicr-validate-result -n <namespace> -o jsonpath='{.data.summary\\.txt}'` (the name is `validate.resultConfigMap`)",
    act: 'See to the checks it names, then run again with a new `runId`. See [Validation](validation.md).',
  },
  PublishFailed: {
    cause:
      'The evidence could not be published, and `validate.publish.failOnError` is set. Verdict and evidence are in their ConfigMaps.',
    look: "The message ends in aicr's and the registry's own words.",
    act: 'Correct what the message names, then run again with a new `runId`; or publish by hand what the ConfigMap holds. See [Evidence](evidence.md).',
  },
  IdentityTokenExpired: {
    cause:
      'The identity token had expired when the run began, and `validate.publish.failOnError` is set. Nothing was begun.',
    look: 'The message names the Secret and when its token ended.',
    act: 'Write a fresh token into the Secret, then run again with a new `runId`. See [Evidence](evidence.md).',
  },
  DeadlineExceeded: {
    cause: "The run's own deadline came, shortly before the Job's.",
    look: 'The message names the step and the component; the last lines say what it was waiting for.',
    act: 'If it only needs longer, raise `job.activeDeadlineSeconds`; retries of one slow component can take an hour (`--retries 1`).',
  },
  Interrupted: {
    cause: 'The pod was asked to stop: an upgrade, an uninstall, an eviction, a deletion.',
    look: '`kubectl get events -n <namespace>`',
    act: 'Nothing after an upgrade or an eviction: the next pod goes on. Otherwise run it again.',
  },
  DisruptedTooOften: {
    cause: 'The pod was evicted or preempted five times.',
    look: '`kubectl get events -n <namespace>`',
    act: 'Place it on a calmer node with `job.nodeSelector`, or give it a `job.priorityClassName`; then run it again.',
  },
  LockTimeout: {
    cause: 'Another run worked on the cluster longer than this one was to wait. Nothing was begun.',
    look: 'The message names the pod that holds the Lease, and since when: `kubectl get lease nvidia-aicr -n kube-system -o yaml` (the namespace is `lock.namespace`).',
    act: 'Let the other run end, then run again with a new `runId`. To wait longer, raise `lock.waitSeconds` and `job.activeDeadlineSeconds`. See [The run](run.md#one-run-at-a-time).',
  },
  LockLost: {
    cause:
      'Another run took the Lease: this one could not renew it for two minutes, or somebody freed it by hand.',
    look: 'The message names the run that has it now.',
    act: 'Wait for that run to end. If it was another release, run this one again. See [The run](run.md#one-run-at-a-time).',
  },
  Superseded: {
    cause: 'A newer run of the same release stands for this one.',
    look: 'The message names the newer Job; its status is in `status.json`.',
    act: 'Nothing: the newer run goes on by itself. Under Argo CD without pruning, delete the older Job.',
  },
};
