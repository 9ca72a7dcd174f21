import { request as httpsRequest } from 'node:https';
import { RunError } from '../../contract/index.ts';
import { type ApiAnswer, ApiBusy, resultOf, unreachable } from './api-failure.ts';
import type { Clock } from './clock.ts';
import type { ServiceAccount } from './service-account.ts';

/** How long one request may take. A healthy API server answers in milliseconds; a dead one says nothing for minutes. */
const CALL_TIMEOUT_MS = 12_000;

/** Pauses before another try of a call that failed for a transient reason. */
const PAUSES_MS = [500, 2000];

/** The longest pause a server may ask for with Retry-After. */
const LONGEST_PAUSE_MS = 10_000;

export interface ApiCall {
  /** What is asked, for messages: `read Job aicr-install-1a2b`. */
  readonly what: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below the server's address, each part encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** Of the body; JSON unless stated. */
  readonly contentType?: string;
  /** Of the answer; the object as JSON unless stated. */
  readonly accept?: string;
}

/**
 * Makes one call to the API server, with a timeout, and with two more tries for answers that pass by themselves
 * (429, 5xx, cut connections).
 * @returns the answer's body
 * @throws the abort reason; RunError `ClusterUnreachable` (transient) when there is no usable answer; `RightsMissing`
 *   for 401 and 403; ApiRefusal for every other refusal
 */
export type ApiClient = <Result>(call: ApiCall, signal: AbortSignal) => Promise<Result>;

/**
 * A client of the API server. The runner's calls are a handful of REST paths; a client library of all of them would be
 * most of the program, which has to fit into a ConfigMap.
 */
export function createApiClient(account: ServiceAccount, clock: Clock): ApiClient {
  const tryOnce = async <Result>(call: ApiCall, signal: AbortSignal): Promise<Result> => {
    const timeout = AbortSignal.timeout(CALL_TIMEOUT_MS);
    try {
      return resultOf<Result>(call.what, await send(account, call, AbortSignal.any([signal, timeout])));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof RunError) {
        throw error;
      }
      const slow = timeout.aborted ? `no answer within ${CALL_TIMEOUT_MS / 1000} s` : null;
      throw unreachable(call.what, account.server, slow, error);
    }
  };

  return async (call, signal) => {
    for (let tries = 0; ; tries += 1) {
      signal.throwIfAborted();
      try {
        return await tryOnce(call, signal);
      } catch (error) {
        signal.throwIfAborted();
        const pause = PAUSES_MS[tries];
        if (pause === undefined || !(error instanceof RunError) || !error.transient) {
          throw error;
        }
        const asked = error instanceof ApiBusy ? Math.min(error.retryAfterMs, LONGEST_PAUSE_MS) : 0;
        await clock.sleep(Math.max(pause, asked), signal);
      }
    }
  };
}

async function send(account: ServiceAccount, call: ApiCall, signal: AbortSignal): Promise<ApiAnswer> {
  const { token, ca } = account.credentials();
  const url = new URL(account.server + call.path);
  for (const [name, value] of Object.entries(call.query ?? {})) {
    url.searchParams.set(name, value);
  }
  const body = call.body === undefined ? undefined : Buffer.from(JSON.stringify(call.body));
  const headers = {
    authorization: `Bearer ${token}`,
    accept: call.accept ?? 'application/json',
    'user-agent': 'nvidia-aicr-chart',
    ...(body === undefined
      ? {}
      : { 'content-type': call.contentType ?? 'application/json', 'content-length': body.length }),
  };
  return new Promise((resolve, reject) => {
    // No agent: a connection of its own for each call never meets one that the server has just closed.
    const options = { method: call.method, headers, ca, signal, agent: false };
    const request = httpsRequest(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const seconds = Number(response.headers['retry-after'] ?? 0);
        resolve({
          status: response.statusCode ?? 0,
          body: Buffer.concat(chunks).toString('utf8'),
          retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : 0,
        });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}
