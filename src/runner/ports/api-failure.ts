import { RunError } from '../../contract/index.ts';
import { networkCause } from './network-cause.ts';

export interface ApiAnswer {
  /** HTTP status. */
  readonly status: number;
  readonly body: string;
  /** Pause the server asks for; 0 when it asks for none. */
  readonly retryAfterMs: number;
}

/** Words of what stands between the rights of a caller and an object: webhooks, policies, quotas, a namespace's end. */
const ADMISSION =
  /admission webhook|denied (the )?request|exceeded quota|is being terminated|field is immutable/i;
const ADMISSION_HINT =
  'The cluster refuses this object, whoever asks: the message says by which policy, quota or state. Exempt the installer there, or remove what is in the way; then run it again.';

/** A refusal that is neither about rights nor about reaching the server: the object is too big, does not exist, … */
export class ApiRefusal extends RunError {
  /** HTTP status. */
  readonly status: number;

  constructor(status: number, message: string) {
    const hint = ADMISSION.test(message) ? ADMISSION_HINT : 'Run it again; report it when it stays.';
    super('Internal', message, { hint });
    this.status = status;
  }
}

/** An answer that passes by itself: too many requests, a server that is starting or overloaded. */
export class ApiBusy extends RunError {
  /** Pause the server asks for; 0 when it asks for none. */
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number) {
    super('ClusterUnreachable', message, {
      hint: 'Check the control plane; it may be overloaded or starting.',
      transient: true,
    });
    this.retryAfterMs = retryAfterMs;
  }
}

/** The error of a call that got no answer. @param slow what took too long, or null when `error` tells */
export function unreachable(what: string, server: string, slow: string | null, error: unknown): RunError {
  const why = slow ?? networkCause(error);
  return new RunError(
    'ClusterUnreachable',
    `cannot ${what}: the API server at ${server} does not answer: ${why}`,
    {
      hint: 'Check the control plane, and that network policies let the installer pod reach it.',
      transient: true,
      cause: error,
    },
  );
}

/**
 * What an answer says.
 * @throws RunError `RightsMissing` for 401 and 403; {@link ApiBusy} where trying again helps; `ClusterUnreachable` for
 *   an answer that no API server gives; {@link ApiRefusal} for every other refusal
 */
export function resultOf<Result>(what: string, { status, body, retryAfterMs }: ApiAnswer): Result {
  const said = (): string => `${messageOf(body)} (HTTP ${status})`;
  if (status >= 200 && status < 300) {
    return parse(what, body) as Result;
  }
  if (status === 401 || status === 403) {
    const message = `cannot ${what}: ${said()}`;
    throw new RunError('RightsMissing', message, {
      hint: ADMISSION.test(message)
        ? ADMISSION_HINT
        : "Check the ClusterRoleBinding of the installer's ServiceAccount (rbac.create, rbac.clusterRole, serviceAccount.name).",
    });
  }
  if (status === 408 || status === 429 || status >= 500) {
    throw new ApiBusy(`cannot ${what}: the API server answers: ${said()}`, retryAfterMs);
  }
  throw new ApiRefusal(status, `cannot ${what}: ${said()}`);
}

function parse(what: string, body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new RunError(
      'ClusterUnreachable',
      `cannot ${what}: the answer is not JSON: ${body.trim().slice(0, 100)}`,
      {
        hint: 'Something else than the API server answers at its address; check for a proxy in between.',
        transient: true,
        cause: error,
      },
    );
  }
}

/** The message of a Kubernetes Status object, or the beginning of whatever else came. */
function messageOf(body: string): string {
  try {
    const { message } = JSON.parse(body) as { message?: unknown };
    return typeof message === 'string' && message !== '' ? message : 'no reason given';
  } catch {
    return body.trim().slice(0, 300) || 'no reason given';
  }
}
