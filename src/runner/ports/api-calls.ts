import type { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import type { ApiException } from '@kubernetes/client-node/dist/gen/apis/exception.js';
import type { ConfigurationOptions } from '@kubernetes/client-node/dist/gen/configuration.js';
import type { RequestContext, ResponseContext } from '@kubernetes/client-node/dist/gen/http/http.js';
import { of } from '@kubernetes/client-node/dist/gen/rxjsStub.js';
import { RunError } from '../../contract/index.ts';
import type { Clock } from './clock.ts';
import { networkCause } from './network-cause.ts';

/** How long one request may take. A healthy API server answers in milliseconds; a dead one says nothing for minutes. */
const CALL_TIMEOUT_MS = 12_000;

/** Pauses before another try of a call that failed for a transient reason. */
const PAUSES_MS = [500, 2000];

/** The longest pause a server may ask for with Retry-After. */
const LONGEST_PAUSE_MS = 10_000;

/** One call of a generated client, with the options that carry its signal and headers. */
export type Call<Result> = (options: ConfigurationOptions) => Promise<Result>;

export interface CallContext {
  readonly clock: Clock;
  readonly config: KubeConfig;
}

/**
 * Makes a call with a timeout and, for answers that pass by themselves (429, 5xx, cut connections), two more tries.
 * @param what what is asked, for the message: `read Job aicr-install-1a2b`
 * @param contentType for server-side apply, which the generated client does not choose by itself
 * @throws the abort reason; RunError `ClusterUnreachable` (transient) when there is no usable answer; `RightsMissing`
 *   for 401 and 403; {@link ApiRefusal} for every other refusal
 */
export async function callApi<Result>(
  what: string,
  context: CallContext,
  signal: AbortSignal,
  call: Call<Result>,
  contentType?: string,
): Promise<Result> {
  for (let tries = 0; ; tries += 1) {
    signal.throwIfAborted();
    const timeout = AbortSignal.timeout(CALL_TIMEOUT_MS);
    try {
      return await call(optionsOf(AbortSignal.any([signal, timeout]), contentType));
    } catch (error) {
      signal.throwIfAborted();
      const failure = failureOf(what, serverOf(context.config), timeout.aborted, error);
      const pause = PAUSES_MS[tries];
      if (!failure.transient || pause === undefined) {
        throw failure;
      }
      await context.clock.sleep(Math.max(pause, retryAfterMs(error)), signal);
    }
  }
}

/** A refusal that is neither about rights nor about reaching the server: the object is too big, does not exist, … */
export class ApiRefusal extends RunError {
  /** HTTP status. */
  readonly status: number;

  constructor(status: number, message: string, cause: unknown) {
    super('Internal', message, { hint: 'Run it again; report it when it stays.', cause });
    this.status = status;
  }
}

const optionsOf = (signal: AbortSignal, contentType: string | undefined): ConfigurationOptions => ({
  middlewareMergeStrategy: 'append',
  middleware: [
    {
      pre: (request: RequestContext) => {
        request.setSignal(signal);
        if (contentType !== undefined) {
          request.setHeaderParam('Content-Type', contentType);
        }
        return of(request);
      },
      post: (response: ResponseContext) => of(response),
    },
  ],
});

function failureOf(what: string, server: string, timedOut: boolean, error: unknown): RunError {
  const answer = answerOf(error);
  if (answer === null) {
    const why = timedOut ? `no answer within ${CALL_TIMEOUT_MS / 1000} s` : networkCause(error);
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
  const { status, message } = answer;
  if (status === 401 || status === 403) {
    return new RunError('RightsMissing', `cannot ${what}: ${message} (HTTP ${status})`, {
      hint: "Check the ClusterRoleBinding of the installer's ServiceAccount (rbac.create, rbac.clusterRole, serviceAccount.name).",
      cause: error,
    });
  }
  if (status === 408 || status === 429 || status >= 500) {
    return new RunError(
      'ClusterUnreachable',
      `cannot ${what}: the API server answers HTTP ${status}: ${message}`,
      {
        hint: 'Check the control plane; it may be overloaded or starting.',
        transient: true,
        cause: error,
      },
    );
  }
  return new ApiRefusal(status, `cannot ${what}: ${message} (HTTP ${status})`, error);
}

/** Status and words of the server's answer, or null when there was none. */
function answerOf(error: unknown): { status: number; message: string } | null {
  const { code, body } = error as Partial<ApiException<unknown>>;
  if (typeof code !== 'number') {
    return null;
  }
  return { status: code, message: messageOf(body) };
}

/** The message of a Kubernetes Status object, parsed or as text; otherwise the beginning of whatever came. */
function messageOf(body: unknown): string {
  let status = body;
  if (typeof body === 'string') {
    try {
      status = JSON.parse(body);
    } catch {
      return body.trim().slice(0, 300);
    }
  }
  const { message } = (status ?? {}) as { message?: unknown };
  return typeof message === 'string' && message !== '' ? message : 'no reason given';
}

function retryAfterMs(error: unknown): number {
  const seconds = Number((error as Partial<ApiException<unknown>>).headers?.['retry-after'] ?? 0);
  return Number.isFinite(seconds) ? Math.min(seconds * 1000, LONGEST_PAUSE_MS) : 0;
}

const serverOf = (config: KubeConfig): string => config.getCurrentCluster()?.server ?? 'an unknown address';
