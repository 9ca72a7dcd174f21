import { RunError } from '../../../contract/index.ts';
import type { StepContext } from '../../context.ts';
import type { DeployStep } from '../../planned.ts';
import type { CommandResult } from '../../ports/index.ts';
import { runLogged } from '../child.ts';
import { diskFullFrom } from '../disk.ts';
import type { StepOutcome } from '../outcome.ts';
import { claim, readClaims, settle } from '../releases/index.ts';
import { Complaints } from './complaints.ts';
import { Markers } from './markers.ts';
import { describeVerdict } from './report.ts';
import { decide } from './verdict.ts';

/**
 * Everything that changes what deploy.sh does is set or unset here, so that nothing of the image leaks in: the
 * installer acts on the cluster it runs in, for real, and in plain text.
 */
const ENVIRONMENT: Readonly<Record<string, string | undefined>> = {
  NO_COLOR: '1',
  KUBECONFIG: undefined,
  KUBECONFIG_FLAG: undefined,
  KUBE_CONTEXT: undefined,
  DRY_RUN_FLAG: undefined,
  HELM_DEBUG_FLAG: undefined,
  HELM_KUBECONTEXT: undefined,
  HELM_NAMESPACE: undefined,
  DOCKER_CONFIG: undefined,
};

/**
 * Runs the bundle's deploy.sh, follows it component by component, and decides how it ended. What it is about to install
 * is written into the list of components before, and what came of it afterwards.
 */
export async function deploy(step: DeployStep, context: StepContext): Promise<StepOutcome> {
  const claims = await readClaims(step.claimsFile);
  await claim(claims, context);
  try {
    return await runScript(step, context);
  } finally {
    if (!context.signal.aborted) await settle(claims, context);
  }
}

async function runScript(step: DeployStep, context: StepContext): Promise<StepOutcome> {
  const markers = new Markers();
  const complaints = new Complaints();
  const { exitCode, signal, tail } = await follow(step, context, markers, complaints);

  const verdict = decide({
    exitCode,
    success: markers.report.success,
    failures: markers.report.failures,
    failedComponents: markers.components.filter(({ state }) => state === 'Failed').map(({ name }) => name),
    deferred: markers.report.deferral !== null,
    bestEffort: step.bestEffort,
  });
  if (verdict.kind === 'failed') {
    const full = await diskFullFrom(tail, step.dir, 'deploy.sh');
    if (full !== null) throw full;
  }
  const told = describeVerdict(verdict, { exitCode, signal, tail, markers, complaints });
  const unfinished = markers.interrupt();
  if (unfinished !== null) context.status.component(unfinished);
  for (const warning of told.warnings) context.status.warn(warning);
  if (told.error !== undefined) throw new RunError(told.error.code, told.message, told.error);
  return { message: told.message, failures: told.failures };
}

async function follow(
  step: DeployStep,
  context: StepContext,
  markers: Markers,
  complaints: Complaints,
): Promise<CommandResult> {
  // One stream for both outputs: helm's errors then stand before the line that says which component failed. The
  // shell is given a fixed text; the arguments reach bash as they are.
  const argv = ['bash', '-c', 'exec "$@" 2>&1', 'deploy.sh', ...step.argv] as [string, ...string[]];
  const onLine = (line: string): void => {
    complaints.read(line, markers.current ?? '');
    const changed = markers.read(line);
    if (changed !== null) context.status.component(changed);
  };
  try {
    return await runLogged({ argv, cwd: step.dir, env: ENVIRONMENT }, context, onLine);
  } catch (error) {
    const interrupted = markers.interrupt();
    if (interrupted !== null) context.status.component(interrupted);
    throw error;
  }
}
