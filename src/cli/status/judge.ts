import { isFinal, POD, type RunSpec, type RunStatus, rerunLine } from '../../contract/index.ts';
import { type Diagnosis, UNWRITTEN, whatEnded, whyNotStarted } from './diagnose.ts';
import type { Facts } from './find.ts';
import { type ContainerStatus, holds, type Pod } from './objects.ts';

/** A run as it really stands. */
export interface Seen {
  /** The run's document, corrected where the cluster knows better, and made up where the run never wrote one. */
  readonly status: RunStatus;
  /** 0 succeeded, 1 failed or interrupted, 2 running or waiting. */
  readonly exit: 0 | 1 | 2;
}

/**
 * Tells how a run stands: its document as far as it can be believed. A runner that was killed leaves one that says
 * that it runs, and one that never started leaves none.
 */
export function judge(facts: Facts): Seen {
  const { job, document, pods } = facts;
  const last = document === null ? null : { ...blank(facts), ...document };
  const written = last !== null && isReplaced(last, facts) ? reopened(last) : last;
  if (written !== null && isFinal(written.phase)) return ended(written);
  const pod = pods.at(-1);
  const conditions = job?.status?.conditions;
  const failed = holds(conditions, 'Failed') ?? holds(conditions, 'FailureTarget');
  const complete = holds(conditions, 'Complete') ?? holds(conditions, 'SuccessCriteriaMet');
  if (complete !== undefined) return completed(written ?? blank(facts), pod);
  if (written !== null) {
    if (job === null || failed !== undefined) return ended(stopped(written, whatEnded(job, pod), facts.spec));
    return { status: withoutPod(written, pods), exit: 2 };
  }
  return neverWritten(facts, failed !== undefined);
}

function ended(status: RunStatus): Seen {
  const good = status.phase === 'Succeeded' || status.phase === 'SucceededWithFailures';
  return { status, exit: good ? 0 : 1 };
}

/** @param spec what the run was told to do; null when that cannot be read any more */
const stopped = (
  status: RunStatus,
  { reason, message, hint, logTail = [], rerun }: Diagnosis,
  spec: RunSpec | null,
): RunStatus => {
  const step = status.steps.find(({ state }) => state === 'Running');
  const component = status.components.findLast(({ state }) => state === 'Installing');
  const at =
    component === undefined ? '' : `, component ${component.index} of ${component.of}, ${component.name}`;
  // The installer's own words name the place themselves.
  const where = step === undefined || rerun !== undefined ? '' : `; it was at step ${step.name}${at}`;
  return {
    ...status,
    phase: reason === 'Interrupted' || reason === 'Superseded' ? 'Interrupted' : 'Failed',
    reason,
    message: `${message}${where}`,
    hint,
    rerun: rerun ?? (spec === null ? '' : rerunLine(spec)),
    logTail: [...logTail],
    steps: status.steps.map((each) => (each === step ? { ...each, state: 'Interrupted' } : each)),
    components: status.components.map((each) =>
      each.state === 'Installing' ? { ...each, state: 'Interrupted' } : each,
    ),
  };
};

const installerOf = (pod: Pod | undefined): ContainerStatus['state'] =>
  pod?.status?.containerStatuses?.find(({ name }) => name === POD.mainContainer)?.state;

/** A run that ended well by its Job, but could not write so. */
function completed(status: RunStatus, pod: Pod | undefined): Seen {
  const said = installerOf(pod)?.terminated?.message?.trim() ?? '';
  const [, phase, words] = /^(Succeeded|SucceededWithFailures): ([^\n]*)/.exec(said) ?? [];
  const message = words ?? 'the Job is complete';
  return ended({
    ...status,
    phase: phase === 'SucceededWithFailures' ? phase : 'Succeeded',
    message: `${message} ${UNWRITTEN}`,
  });
}

/**
 * Whether the Job replaces the pod that wrote a document's end: one that was evicted, preempted or drained away says
 * that it was interrupted, and the Job goes on.
 */
function isReplaced({ reason, pod }: RunStatus, { job, pods }: Facts): boolean {
  const failed = holds(job?.status?.conditions, 'Failed') ?? holds(job?.status?.conditions, 'FailureTarget');
  if (reason !== 'Interrupted' || job === null || failed !== undefined) return false;
  if (job.metadata.deletionTimestamp !== undefined) return false;
  // Before a pod that counts as failed goes, its Job says so.
  const own = pods.find(({ metadata }) => metadata.uid === pod.uid);
  return own === undefined || holds(own.status?.conditions, 'DisruptionTarget') !== undefined;
}

/** The document of a run that goes on in another pod. */
const reopened = (status: RunStatus): RunStatus => ({
  ...status,
  phase: 'Running',
  reason: '',
  hint: '',
  rerun: '',
  finishedAt: '',
});

/** Says so when the pod that wrote the document is gone and the Job makes another. */
function withoutPod(status: RunStatus, pods: readonly Pod[]): RunStatus {
  const own = pods.find(({ metadata }) => metadata.uid === status.pod.uid);
  const over = own === undefined || own.status?.phase === 'Failed' || own.status?.phase === 'Succeeded';
  if (!over) return status;
  const why = own?.status?.reason === undefined ? '' : ` (${own.status.reason})`;
  return {
    ...status,
    message: `the pod ${status.pod.name} is gone${why}; the Job makes another. Before: ${status.message}`,
  };
}

function neverWritten(facts: Facts, failed: boolean): Seen {
  const { job, pods, events, spec } = facts;
  const status = blank(facts);
  const pod = pods.at(-1);
  const state = installerOf(pod);
  if (job === null) return ended(stopped(status, whatEnded(job, pod), spec));
  if (failed && (state?.terminated !== undefined || pod?.status?.reason !== undefined)) {
    return ended(stopped(status, whatEnded(job, pod), spec));
  }
  if (failed) {
    const over = whatEnded(job, undefined);
    const why = whyNotStarted(job, pods, events);
    return ended(
      stopped(
        status,
        why.hint === ''
          ? over
          : { ...why, message: `${over.message} No runner ever started: ${why.message}` },
        spec,
      ),
    );
  }
  if (state?.running !== undefined || state?.terminated !== undefined) {
    const message =
      spec?.status.configMap === ''
        ? 'the installer has started; this release writes no status (statusConfigMap is none), so see its log'
        : 'the installer has started, and has not written its status yet';
    return { status: { ...status, phase: 'Running', message }, exit: 2 };
  }
  const { reason, message, hint } = whyNotStarted(job, pods, events);
  return { status: { ...status, reason, message, hint }, exit: 2 };
}

/** The document of a run that wrote none, from what it was told to do. */
function blank({ release, namespace, job, spec, pods }: Facts): RunStatus {
  const pod = pods.at(-1);
  const startedAt = job?.metadata.creationTimestamp ?? '';
  const criteria = Object.entries(spec?.criteria ?? {}).filter(([, value]) => value !== '');
  return {
    version: 1,
    phase: 'Pending',
    reason: '',
    message: '',
    hint: '',
    release: { name: release, namespace },
    run: { id: spec?.run.id ?? '', attempt: 1 },
    job: { name: job?.metadata.name ?? '', uid: job?.metadata.uid ?? '' },
    pod: {
      name: pod?.metadata.name ?? '',
      uid: pod?.metadata.uid ?? '',
      node: pod?.spec?.nodeName ?? '',
    },
    chartVersion: spec?.chart.version ?? '',
    startedAt,
    updatedAt: startedAt,
    finishedAt: '',
    deadlineAt: '',
    aicr: { version: spec?.aicr.version ?? '', arch: spec?.aicr.arch ?? '', sha256: '', url: '' },
    criteria: Object.fromEntries(criteria),
    pack: { ref: spec?.pack.ref ?? '', digest: '' },
    bundle: { digest: '' },
    recipe: { overlays: [], componentCount: 0, digest: '' },
    upgradeCheck: { outcome: '', message: '', components: [] },
    validation: { outcome: '', exitCode: null, tests: 0, passed: 0, failed: 0, skipped: 0, other: 0 },
    evidence: { sha256: '', oci: '', digest: '' },
    warnings: [...(spec?.warnings ?? [])],
    steps: [],
    components: [],
    results: [],
    logTail: [],
    rerun: '',
  };
}
