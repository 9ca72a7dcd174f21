import { createHash } from 'node:crypto';
import type { ObjectEventsV1Api } from '@kubernetes/client-node/dist/gen/types/ObjectParamAPI.js';
import { V1MicroTime } from '@kubernetes/client-node/dist/types.js';
import { ApiRefusal, type CallContext, callApi } from './api-calls.ts';
import type { Clock } from './clock.ts';
import type { RunEvent, RunIdentity } from './cluster.ts';
import { cutBytes } from './text.ts';

/** The API's limit of an Event's note, in bytes (https://pkg.go.dev/k8s.io/api/events/v1#Event). */
const LONGEST_NOTE = 1024;

/** The API's limit of the reporting instance. */
const LONGEST_INSTANCE = 128;

const CONTROLLER = 'nvidia-aicr/installer';

/** How long an Event may take: it is never worth holding up a run. */
const EVENT_TIMEOUT_MS = 15_000;

interface EventOptions {
  readonly identity: RunIdentity;
  readonly clock: Clock;
  readonly context: CallContext;
  readonly api: ObjectEventsV1Api;
  readonly warn: (message: string) => void;
}

/** Writes Events on the run's Job; `regard` tells the Job's uid, by which `kubectl describe job` finds them. */
export function createEvents(options: EventOptions): {
  regard(uid: string): void;
  write(event: RunEvent): Promise<void>;
} {
  const { identity, clock, context, api } = options;
  let jobUid = '';
  let count = 0;
  return {
    regard: (uid) => {
      jobUid = uid;
    },
    write: async (event) => {
      count += 1;
      const body = {
        // Named by us, so that a second try of the same Event is known as such.
        metadata: { name: eventName(identity, count), namespace: identity.namespace },
        eventTime: new V1MicroTime(clock.now()),
        reportingController: CONTROLLER,
        reportingInstance: identity.pod.slice(0, LONGEST_INSTANCE),
        action: 'Install',
        reason: event.reason,
        type: event.type,
        note: cutBytes(event.message, LONGEST_NOTE),
        regarding: {
          apiVersion: 'batch/v1',
          kind: 'Job',
          name: identity.job,
          namespace: identity.namespace,
          ...(jobUid === '' ? {} : { uid: jobUid }),
        },
      };
      try {
        const signal = AbortSignal.timeout(EVENT_TIMEOUT_MS);
        await callApi(`write the Event ${event.reason}`, context, signal, (call) =>
          api.createNamespacedEvent({ namespace: identity.namespace, body }, call),
        );
      } catch (error) {
        if (!(error instanceof ApiRefusal && error.status === 409)) {
          options.warn(error instanceof Error ? error.message : String(error));
        }
      }
    },
  };
}

/** Unique in the cluster: the pod's uid and a running number, hashed into the name of the Job. */
function eventName({ job, podUid, pod }: RunIdentity, count: number): string {
  const digest = createHash('sha256').update(`${podUid}/${pod}/${count}`).digest('hex').slice(0, 16);
  return `${job}.${digest}`;
}
