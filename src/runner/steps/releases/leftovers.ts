import type { StepContext } from '../../context.ts';
import { messageOf, type ObjectMetadata } from '../../ports/index.ts';

/** Labels by which aicr itself tells people to find what `aicr validate` makes for the time of a run. */
const BINDINGS = 'app.kubernetes.io/name=aicr-validator';
const JOBS = 'app.kubernetes.io/name in (aicr,aicr-validator)';
/** Names that are said; a whole list says no more. */
const SHOWN = 5;

/**
 * Says what an `aicr validate` that was killed left in the cluster: bindings to cluster-admin, and Jobs. aicr names
 * them by an id that it tells nobody, so it cannot be known whose they are, and they are left alone.
 */
export async function reportLeftovers(context: StepContext): Promise<void> {
  const { cluster, signal, status, log } = context;
  try {
    const bindings = await cluster.listLeftovers('ClusterRoleBinding', BINDINGS, signal);
    const jobs = (await cluster.listLeftovers('Job', JOBS, signal)).filter(isNoChart);
    if (bindings.length === 0 && jobs.length === 0) return;
    const found = [
      ...named(bindings.length === 1 ? 'ClusterRoleBinding' : 'ClusterRoleBindings', bindings),
      ...named(jobs.length === 1 ? 'Job' : 'Jobs', jobs),
    ];
    const commands = [
      ...(bindings.length === 0 ? [] : [`kubectl delete clusterrolebinding -l ${BINDINGS}`]),
      ...(jobs.length === 0 ? [] : [`kubectl delete job -A -l '${JOBS}'`]),
    ];
    status.warn(
      `an aicr validate that was interrupted, or still runs, left ${found.join(' and ')}; whose they are is recorded nowhere, so they were left alone. If no aicr runs: ${commands.join('; ')}`,
    );
  } catch (error) {
    signal.throwIfAborted();
    log.warn(`what an interrupted aicr may have left cannot be seen: ${messageOf(error)}`);
  }
}

/** Some other chart's Job may have aicr's name by its label. */
const isNoChart = ({ labels }: ObjectMetadata): boolean => labels['app.kubernetes.io/managed-by'] !== 'Helm';

function named(kind: string, objects: readonly ObjectMetadata[]): readonly string[] {
  if (objects.length === 0) return [];
  const names = objects
    .slice(0, SHOWN)
    .map(({ namespace, name }) => (namespace === '' ? name : `${namespace}/${name}`));
  const more = objects.length > SHOWN ? ` and ${objects.length - SHOWN} more` : '';
  return [`${kind} ${names.join(', ')}${more}`];
}
