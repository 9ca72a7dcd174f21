import { RunError } from '../../contract/index.ts';
import type { StepContext } from '../context.ts';
import type { Access } from '../planned.ts';
import { findProgram } from './program.ts';
import { retry } from './retry.ts';

/** Rights named in the message; a whole list says no more. */
const SHOWN_RIGHTS = 8;

/** What must hold before something works on the cluster. */
export interface Needs {
  /** Programs that it cannot do without. */
  readonly tools: readonly string[];
  readonly access: Access;
  /** What happens where rights are missing and that is let pass: `deploy.sh may fail half-way`. */
  readonly otherwise: string;
}

/**
 * Makes sure that what works on the cluster can work at all. deploy.sh's own pre-flight passes without kubectl,
 * without an API server and without rights, and then leaves half an installation; `aicr validate` makes a binding to
 * cluster-admin of its own, which only somebody may who has as much.
 * @throws RunError `ToolMissing`, `ClusterUnreachable`, `RightsMissing`
 */
export async function precheck({ tools, access, otherwise }: Needs, context: StepContext): Promise<void> {
  for (const tool of tools) {
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
  if (!access.required) {
    context.status.warn(`${message} (it is bound to ClusterRole ${access.clusterRole}); ${otherwise}`);
    return;
  }
  throw new RunError('RightsMissing', message, {
    hint: 'Bind the installer to cluster-admin: rbac.create true, or a binding of your own for its ServiceAccount.',
  });
}
