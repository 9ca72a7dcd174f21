import { RunError, type RunSpec, type RunStatus, runStatusKey } from '../contract/index.ts';
import type { Log } from './log.ts';
import { type Clock, type Cluster, type JobFacts, messageOf, type RunIdentity } from './ports/index.ts';
import { interrupted } from './shutdown.ts';

/** How long the API server is waited for at the start. A node that has just joined may need a while to route to it. */
const REACH_MS = 60_000;

/** How long rights may be missing at the start: a fresh binding reaches all API servers within seconds. */
const RIGHTS_MS = 5000;

const PAUSE_MS = 3000;

/** A pod that finds this many disruptions before it gives up. */
const MOST_DISRUPTIONS = 5;

/** What a run finds out about itself before it does anything. */
export interface Observation {
  /** Null when the runner may not read its Job. */
  readonly job: JobFacts | null;
  /** 1 for the Job's first pod. */
  readonly attempt: number;
  /** What the attempt before this one, of the same Job, wrote last; null when there was none, or it is not known. */
  readonly earlier: RunStatus | null;
}

/**
 * Reads the run's Job and what the attempt before this one wrote down.
 * @throws RunError `ClusterUnreachable` after about a minute, `Interrupted` when the pod is already
 *   being deleted, or the abort reason
 */
export async function observe(
  context: { readonly cluster: Cluster; readonly clock: Clock; readonly log: Log },
  spec: RunSpec,
  identity: RunIdentity,
  signal: AbortSignal,
): Promise<Observation> {
  const { cluster, log } = context;
  const job = await readJob(context, signal);
  if (await isStopping(cluster, signal)) {
    throw interrupted('before it did anything', 'the pod is being deleted');
  }
  let previous: RunStatus | null = null;
  try {
    previous =
      spec.status.configMap === ''
        ? null
        : await previousAttempt(cluster, spec.status.configMap, identity, signal);
  } catch (error) {
    signal.throwIfAborted();
    log.warn(`what an earlier attempt of this run wrote cannot be read: ${messageOf(error)}`);
  }
  const earlier = isEarlier(previous, job, identity) ? previous : null;
  return { job, attempt: attemptOf(previous, job, identity), earlier };
}

/**
 * Whether the pod was told to stop before the runner could hear it: process 1 has no handler for SIGTERM until its
 * modules are loaded, and the kernel drops the signal meanwhile. What cannot be found out is no reason to stop.
 */
async function isStopping(cluster: Cluster, signal: AbortSignal): Promise<boolean> {
  try {
    return await cluster.stopping(signal);
  } catch {
    signal.throwIfAborted();
    return false;
  }
}

/** @throws RunError `DisruptedTooOften` */
export function checkDisruptions({ job, attempt }: Observation): void {
  const disruptions = attempt - 1 - (job?.failedPods ?? 0);
  if (disruptions >= MOST_DISRUPTIONS) {
    throw new RunError(
      'DisruptedTooOften',
      `the pod of this run was disrupted ${disruptions} times; it is not tried again`,
      {
        hint: 'Find out what evicts or deletes it (kubectl get events), let it run on a calmer node (job.nodeSelector), then run it again.',
      },
    );
  }
}

/** Waits for the API server; a missing right is no reason to stop, as the run can do without knowing its Job. */
async function readJob(
  { cluster, clock, log }: { readonly cluster: Cluster; readonly clock: Clock; readonly log: Log },
  signal: AbortSignal,
): Promise<JobFacts | null> {
  const began = clock.monotonic();
  for (;;) {
    try {
      return await cluster.job(signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof RunError)) {
        throw error;
      }
      const left =
        (error.code === 'ClusterUnreachable' ? REACH_MS : error.code === 'RightsMissing' ? RIGHTS_MS : 0) -
        (clock.monotonic() - began);
      if (left <= 0) {
        if (error.code === 'ClusterUnreachable') {
          throw error;
        }
        log.warn(`${error.message}; the run goes on without knowing its deadline`);
        return null;
      }
      log.warn(`${error.message}; trying again for ${Math.ceil(left / 1000)} s`);
      await clock.sleep(PAUSE_MS, signal);
    }
  }
}

/** What the attempt before this one, of the same Job, wrote into the run's own key. */
async function previousAttempt(
  cluster: Cluster,
  configMap: string,
  identity: RunIdentity,
  signal: AbortSignal,
): Promise<RunStatus | null> {
  const found = await cluster.readConfigMap(configMap, signal);
  const text = found?.data[runStatusKey(identity.job)];
  return text === undefined ? null : (JSON.parse(text) as RunStatus);
}

/** Whether a document is of another pod of this very Job; one of the same name that was made again begins anew. */
const isEarlier = (previous: RunStatus | null, job: JobFacts | null, { podUid }: RunIdentity): boolean =>
  job !== null && previous?.job?.uid === job.uid && previous.pod?.uid !== podUid;

/**
 * Which attempt this is. A disrupted pod may be gone without a trace, so what the last attempt wrote counts first;
 * one that never came to write is still seen among the Job's pods.
 */
export function attemptOf(previous: RunStatus | null, job: JobFacts | null, identity: RunIdentity): number {
  const seen = (job?.endedPods ?? 0) + 1;
  // A Job of the same name that was deleted and made again begins anew.
  const sameJob = job !== null && previous?.job?.uid === job.uid;
  if (!sameJob || typeof previous?.run?.attempt !== 'number') {
    return seen;
  }
  const next = previous.pod?.uid === identity.podUid ? previous.run.attempt : previous.run.attempt + 1;
  return Math.max(next, seen);
}
