import { createHash } from 'node:crypto';
import type { ApiClient } from './api-client.ts';
import { ApiRefusal } from './api-failure.ts';
import type { Clock } from './clock.ts';
import type { RunEvent, RunIdentity } from './cluster.ts';
import { cutBytes, messageOf } from './text.ts';

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
  readonly api: ApiClient;
  /** Looks up the uid of the run's Job. */
  readonly findJob: (signal: AbortSignal) => Promise<string>;
  readonly warn: (message: string) => void;
}

/**
 * Writes Events on the run's Job. `kubectl describe job` finds them by the Job's uid: `regard` tells it; a run that
 * ends before it has read its Job looks it up for its Events.
 */
export function createEvents(options: EventOptions): {
  regard(uid: string): void;
  write(event: RunEvent): Promise<void>;
} {
  const { api, identity, clock } = options;
  const path = `/apis/events.k8s.io/v1/namespaces/${encodeURIComponent(identity.namespace)}/events`;
  let jobUid = '';
  let count = 0;
  return {
    regard: (uid) => {
      jobUid = uid;
    },
    write: async (event) => {
      count += 1;
      const signal = AbortSignal.timeout(EVENT_TIMEOUT_MS);
      jobUid ||= await options.findJob(signal).catch(() => '');
      const body = {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        // Named by us, so that a second try of the same Event is known as such.
        metadata: { name: eventName(identity, count), namespace: identity.namespace },
        // A MicroTime: six digits behind the second.
        eventTime: clock.now().toISOString().replace('Z', '000Z'),
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
        const what = `write the Event ${event.reason}`;
        await api({ what, method: 'POST', path, body }, signal);
      } catch (error) {
        if (!(error instanceof ApiRefusal && error.status === 409)) {
          options.warn(messageOf(error));
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
