import { RunError } from '../../../contract/index.ts';
import type { StepContext } from '../../context.ts';
import type { DeployStep } from '../../planned.ts';
import { findProgram } from '../program.ts';
import { retry } from '../retry.ts';

/** Programs that deploy.sh cannot do without. */
const TOOLS = ['bash', 'kubectl', 'helm'];
/** Rights named in the message; a whole list says no more. */
const SHOWN_RIGHTS = 8;

/**
 * Makes sure that deploy.sh can work at all. Its own pre-flight passes without kubectl, without an API server and
 * without rights, and then leaves half an installation.
 * @throws RunError `ToolMissing`, `ClusterUnreachable`, `RightsMissing`
 */
export async function precheck(step: DeployStep, context: StepContext): Promise<void> {
  for (const tool of TOOLS) {
    if ((await findProgram(tool)) !== null) continue;
    throw new RunError('ToolMissing', `${tool} is not in the installer's image`, {
      hint: 'runtimeImage must include bash, curl, kubectl and helm.',
    });
  }
  const version = await retry(context, () => context.cluster.version(context.signal));
  context.log.info(`the API server answers (Kubernetes ${version})`);

  const missing = await retry(context, () => context.cluster.missingRights(context.signal));
  if (missing.length === 0) return;
  const shown = missing.slice(0, SHOWN_RIGHTS).join('; ');
  const more = missing.length > SHOWN_RIGHTS ? ` and ${missing.length - SHOWN_RIGHTS} more` : '';
  const message = `the installer may not: ${shown}${more}`;
  if (!step.rightsRequired) {
    context.status.warn(
      `${message} (it is bound to ClusterRole ${step.clusterRole}); deploy.sh may fail half-way`,
    );
    return;
  }
  throw new RunError('RightsMissing', message, {
    hint: 'Bind the installer to cluster-admin: rbac.create true, or a binding of your own for its ServiceAccount.',
  });
}
