import { RunError } from '../../contract/index.ts';
import { networkCause } from './network-cause.ts';

export interface ApiAnswer {
  /** HTTP status. */
  readonly status: number;
  readonly body: string;
  /** Pause the server asks for; 0 when it asks for none. */
  readonly retryAfterMs: number;
}

/** A refusal that is neither about rights nor about reaching the server: the object is too big, does not exist, … */
export class ApiRefusal extends RunError {
  /** HTTP status. */
  readonly status: number;

  constructor(status: number, message: string) {
    super('Internal', message, { hint: 'Run it again; report it when it stays.' });
    this.status = status;
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

/** The error an answer stands for, or null when the call succeeded. */
export function failureOf(what: string, { status, body }: ApiAnswer): RunError | null {
  if (status >= 200 && status < 300) {
    return null;
  }
  const said = `${messageOf(body)} (HTTP ${status})`;
  if (status === 401 || status === 403) {
    return new RunError('RightsMissing', `cannot ${what}: ${said}`, {
      hint: "Check the ClusterRoleBinding of the installer's ServiceAccount (rbac.create, rbac.clusterRole, serviceAccount.name).",
    });
  }
  if (status === 408 || status === 429 || status >= 500) {
    return new RunError('ClusterUnreachable', `cannot ${what}: the API server answers: ${said}`, {
      hint: 'Check the control plane; it may be overloaded or starting.',
      transient: true,
    });
  }
  return new ApiRefusal(status, `cannot ${what}: ${said}`);
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
