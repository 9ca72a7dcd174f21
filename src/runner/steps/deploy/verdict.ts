/** Everything the verdict on a deploy.sh that has ended is made of. */
export interface DeployEvidence {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly success: boolean;
  /** Names in deploy.sh's final report of failures; null without a report. */
  readonly failures: readonly string[] | null;
  /** Components whose own line says FAILED. */
  readonly failedComponents: readonly string[];
  /** The DRA deferral line was seen. */
  readonly deferred: boolean;
  readonly bestEffort: boolean;
}

export type DeployVerdict =
  /** Every component is installed. */
  | { readonly kind: 'succeeded' }
  /** Let pass under --best-effort: these components failed. */
  | { readonly kind: 'failures'; readonly names: readonly string[] }
  /** Let pass under --best-effort: all installed, but the restart of the DRA kubelet plugin was put off. */
  | { readonly kind: 'deferred' }
  /** Exit 0, but deploy.sh said neither that all went well nor that something failed. */
  | { readonly kind: 'unsaid' }
  | {
      readonly kind: 'failed';
      readonly code: 'DeployFailed' | 'DeployDeferred';
      readonly names: readonly string[];
    };

/**
 * Decides how a deployment ended. deploy.sh's exit code alone does not say: with --best-effort it is 0 over failed
 * components (aicr v1.2), and older ones end with 2 over failures as well as over the deferral.
 */
export function decide(evidence: DeployEvidence): DeployVerdict {
  const { exitCode, success, failures, failedComponents, deferred, bestEffort } = evidence;
  const names = [...new Set([...failedComponents, ...(failures ?? [])])];
  const failed = failures !== null || failedComponents.length > 0;

  if (exitCode === 2 && deferred && !failed) {
    return bestEffort ? { kind: 'deferred' } : { kind: 'failed', code: 'DeployDeferred', names };
  }
  if (exitCode !== 0) return { kind: 'failed', code: 'DeployFailed', names };
  if (failed)
    return bestEffort ? { kind: 'failures', names } : { kind: 'failed', code: 'DeployFailed', names };
  if (deferred) return bestEffort ? { kind: 'deferred' } : { kind: 'failed', code: 'DeployDeferred', names };
  return success ? { kind: 'succeeded' } : { kind: 'unsaid' };
}
