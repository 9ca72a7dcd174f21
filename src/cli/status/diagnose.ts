import { lastWords } from './lastwords.ts';
import { type ContainerStatus, holds, type Job, type KubeEvent, type Pod } from './objects.ts';

/** What keeps a run from starting, or what ended it, as the cluster tells. */
export interface Diagnosis {
  /** Kubernetes' own word: `ImagePullBackOff`. */
  readonly reason: string;
  readonly message: string;
  /** What to do; empty when there is nothing to do but wait. */
  readonly hint: string;
  /** The last lines of what failed, as far as the kubelet kept them. */
  readonly logTail?: readonly string[];
  /** Where these are the installer's own words: how to run it again, by what it said. */
  readonly rerun?: string;
}

/**
 * Why no runner has started yet.
 * @param pods of the Job, oldest first
 * @param events of Job and pods, oldest first
 */
export function whyNotStarted(job: Job, pods: readonly Pod[], events: readonly KubeEvent[]): Diagnosis {
  const pod = pods.at(-1);
  if (pod !== undefined) return whyPodWaits(pod, events);
  if (job.spec.suspend === true) {
    return {
      reason: 'Suspended',
      message: 'the Job is suspended, so it makes no pod',
      hint: 'Somebody, or a queue such as Kueue, holds it back: let it go on there.',
    };
  }
  const refused = events.findLast(({ reason }) => reason === 'FailedCreate');
  if (refused === undefined) {
    return { reason: 'NoPod', message: 'the Job has not made a pod yet', hint: '' };
  }
  const message = refused.message ?? '';
  return {
    reason: 'FailedCreate',
    message: `the Job cannot make its pod: ${message}`,
    hint: hintForRefusal(message),
  };
}

function hintForRefusal(message: string): string {
  const hints: readonly (readonly [RegExp, string])[] = [
    [
      /exceeded quota|failed quota/,
      'Raise the quota of the namespace, or lower job.resources and job.tmpSizeLimit.',
    ],
    [
      /violates PodSecurity/,
      "Keep the chart's security contexts (job.podSecurityContext, job.securityContext), and see what job.extraVolumes and the like add.",
    ],
    [
      /serviceaccount .*not found/,
      'Let the chart make its ServiceAccount (serviceAccount.create), or make the one that serviceAccount.name names.',
    ],
    [
      /admission webhook|ValidatingAdmissionPolicy/,
      'A policy of the cluster refuses the pod: read what it asks for, and set the job.* values so, or exempt the namespace.',
    ],
    [
      /limit ?range|(maximum|minimum) .* usage per/i,
      "Bring job.resources into the limits of the namespace's LimitRange.",
    ],
    [/priority ?class/i, 'Name a PriorityClass that is there, or leave job.priorityClassName empty.'],
  ];
  return (
    hints.find(([pattern]) => pattern.test(message))?.[1] ??
    'The message is the API server’s: remove its cause; the Job tries again by itself.'
  );
}

/** Values that name the image of each container. */
const IMAGE_VALUES: Readonly<Record<string, string>> = {
  node: 'nodeImage',
  oras: 'orasImage',
  installer: 'runtimeImage',
};

function whyPodWaits(pod: Pod, events: readonly KubeEvent[]): Diagnosis {
  const { status, metadata } = pod;
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False' && scheduled.reason === 'SchedulingGated') {
    return {
      reason: 'SchedulingGated',
      message: `the pod ${metadata.name} is held back before it is given to a node: ${scheduled.message ?? ''}`,
      hint: 'A queue such as Kueue holds it back by a scheduling gate: let it go on there.',
    };
  }
  if (scheduled?.status === 'False') {
    return {
      reason: scheduled.reason ?? 'Unschedulable',
      message: `no node takes the pod ${metadata.name}: ${scheduled.message ?? ''}`,
      hint: 'Set job.nodeSelector, job.tolerations or job.affinity so that a node fits, lower job.resources, or add a node.',
    };
  }
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const ended = containers.find(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0);
  if (ended !== undefined) return whyContainerEnded(pod, ended);
  const waiting = containers.find(
    ({ state }) => !STARTING.includes(state?.waiting?.reason ?? 'PodInitializing'),
  );
  if (waiting !== undefined) return whyContainerWaits(pod, waiting);
  const last = events.findLast(
    ({ reason = '', involvedObject }) =>
      (SET_UP.includes(reason) || reason in SETUP_HINTS) && involvedObject.uid === metadata.uid,
  );
  const { reason = '', message = '' } = last ?? {};
  if (SET_UP.includes(reason)) {
    return { reason: 'Starting', message: `the pod ${metadata.name} is starting: ${message}`, hint: '' };
  }
  if (last !== undefined) {
    const what = reason === SANDBOX ? 'cannot be set up on its node' : 'waits for a volume to be mounted';
    return {
      reason,
      message: `the pod ${metadata.name} ${what}: ${message}`,
      hint: SETUP_HINTS[reason] ?? '',
    };
  }
  return { reason: 'Starting', message: `the pod ${metadata.name} is starting`, hint: '' };
}

/** Reasons of Events after which the pod is set up: whatever kept it from that is over. */
const SET_UP = ['Pulling', 'Pulled', 'Created', 'Started'];
const SANDBOX = 'FailedCreatePodSandBox';
const VOLUME_HINT = 'Make what it names, or take it out of job.extraVolumes; the pod starts by itself then.';

/** Reasons of Events by which the kubelet says why it cannot set a pod up. Its containers then only seem to start. */
const SETUP_HINTS: Readonly<Record<string, string>> = {
  FailedMount: VOLUME_HINT,
  FailedAttachVolume: VOLUME_HINT,
  [SANDBOX]:
    "The words are those of the node's container runtime or network: repair it there, correct job.runtimeClassName, or choose another node with job.nodeSelector.",
};

/** Reasons of a container that only waits for its turn. */
const STARTING = ['PodInitializing', 'ContainerCreating'];

function whyContainerWaits({ metadata }: Pod, { name, image, state }: ContainerStatus): Diagnosis {
  const { reason = '', message = '' } = state?.waiting ?? {};
  const isImage = /Image|Registry/.test(reason);
  const value = IMAGE_VALUES[name] ?? 'the image';
  return {
    reason,
    message: `container ${name} of the pod ${metadata.name} does not start: ${reason}${isImage ? ` of ${image ?? 'its image'}` : ''}${message === '' ? '' : `: ${message}`}`,
    hint: isImage
      ? `Correct ${value}, mirror it to a registry that the nodes reach, or name a Secret in imagePullSecrets.`
      : 'The message is the kubelet’s: remove its cause; the pod starts by itself then.',
  };
}

function whyContainerEnded({ metadata }: Pod, { name, state }: ContainerStatus): Diagnosis {
  const { exitCode = 0, reason = 'Error', message = '' } = state?.terminated ?? {};
  return {
    reason,
    message: `container ${name} of the pod ${metadata.name} ended with exit code ${exitCode} (${reason})${message === '' ? '' : `: ${message.trim()}`}`,
    hint: `See kubectl logs ${metadata.name} -n ${metadata.namespace} -c ${name}.`,
  };
}

/** Behind what only the pod tells of a run's end. */
export const UNWRITTEN = '(the status document does not say so: it could not be written, or none is wanted)';

/**
 * What ended the installer before it could say so itself: its own document still says that it runs.
 * @param pod the last one; undefined when it is gone
 */
export function whatEnded(job: Job | null, pod: Pod | undefined): Diagnosis {
  const terminated = pod?.status?.containerStatuses?.find(({ name }) => name === 'installer')?.state
    ?.terminated;
  const condition =
    holds(job?.status?.conditions, 'Failed') ?? holds(job?.status?.conditions, 'FailureTarget');
  const { end, text, logTail } = lastWords(terminated?.message ?? '', terminated?.exitCode ?? 0);
  if (terminated?.reason === 'OOMKilled') {
    return {
      logTail,
      reason: 'OOMKilled',
      message: `the installer was killed for want of memory (OOMKilled, exit code ${terminated.exitCode})`,
      hint: 'Raise job.resources.limits.memory, then run it again.',
    };
  }
  if (pod?.status?.reason === 'Evicted') {
    return {
      reason: 'Evicted',
      message: `the pod was evicted: ${pod.status.message ?? ''}`,
      hint: 'Give it what the message names (job.resources, job.tmpSizeLimit), or a calmer node; then run it again.',
    };
  }
  if (end !== null) {
    return { ...end, message: `${end.message} ${UNWRITTEN}`, logTail };
  }
  if (terminated !== undefined && terminated.exitCode !== 0) {
    const how =
      terminated.exitCode === 137
        ? 'killed (SIGKILL, exit code 137)'
        : `ended with exit code ${terminated.exitCode}`;
    return {
      logTail,
      reason: terminated.reason ?? 'Error',
      message: `the installer was ${how} before it could write how it ended${text === '' ? '' : `: ${text}`}`,
      hint: 'Look at the node and its Events for what killed it, then run it again.',
    };
  }
  if (condition !== undefined) {
    return {
      reason: condition.reason ?? 'Failed',
      message: `the Job has failed (${condition.reason ?? 'no reason given'}): ${condition.message ?? ''}`,
      hint: 'Run it again; what was installed is only upgraded in place.',
    };
  }
  return {
    reason: 'JobGone',
    message: 'the Job is gone, and so nobody ends this run: uninstalled, or deleted while it ran',
    hint: 'Install or upgrade the release to run again.',
  };
}
