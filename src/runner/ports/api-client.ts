import { request as httpRequest } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import { type ApiAnswer, failureOf, unreachable } from './api-failure.ts';
import type { Clock } from './clock.ts';

/** How long one request may take. A healthy API server answers in milliseconds; a dead one says nothing for minutes. */
const CALL_TIMEOUT_MS = 12_000;

/** Pauses before another try of a call that failed for a transient reason. */
const PAUSES_MS = [500, 2000];

/** The longest pause a server may ask for with Retry-After. */
const LONGEST_PAUSE_MS = 10_000;

export interface ApiCall {
  /** What is asked, for messages: `read Job aicr-install-1a2b`. */
  readonly what: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Path below the server's address, each part encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** Of the body; JSON unless stated. */
  readonly contentType?: string;
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
 * A client with the pod's ServiceAccount. Address, authority and token come from client-node's in-cluster
 * configuration, which reads the token file again every minute, as it rotates. The calls themselves are a handful of
 * REST paths: the generated clients would be 90 percent of the program.
 * @param root path before the ServiceAccount's folder; empty in a pod
 */
export function createApiClient(root: string, clock: Clock): ApiClient {
  const config = new KubeConfig();
  config.loadFromCluster(root);
  const server = config.getCurrentCluster()?.server ?? '';

  const tryOnce = async (call: ApiCall, signal: AbortSignal): Promise<ApiAnswer> => {
    const timeout = AbortSignal.timeout(CALL_TIMEOUT_MS);
    try {
      return await send(config, server, call, AbortSignal.any([signal, timeout]));
    } catch (error) {
      signal.throwIfAborted();
      const slow = timeout.aborted ? `no answer within ${CALL_TIMEOUT_MS / 1000} s` : null;
      throw unreachable(call.what, server, slow, error);
    }
  };

  return async <Result>(call: ApiCall, signal: AbortSignal): Promise<Result> => {
    for (let tries = 0; ; tries += 1) {
      signal.throwIfAborted();
      const pause = PAUSES_MS[tries];
      let waitMs: number;
      try {
        const answer = await tryOnce(call, signal);
        const failure = failureOf(call.what, answer);
        if (failure === null) {
          return JSON.parse(answer.body) as Result;
        }
        if (!failure.transient || pause === undefined) {
          throw failure;
        }
        waitMs = Math.max(pause, Math.min(answer.retryAfterMs, LONGEST_PAUSE_MS));
      } catch (error) {
        signal.throwIfAborted();
        if (pause === undefined || (error as { transient?: boolean }).transient !== true) {
          throw error;
        }
        waitMs = pause;
      }
      await clock.sleep(waitMs, signal);
    }
  };
}

async function send(
  config: KubeConfig,
  server: string,
  call: ApiCall,
  signal: AbortSignal,
): Promise<ApiAnswer> {
  const url = new URL(server + call.path);
  for (const [name, value] of Object.entries(call.query ?? {})) {
    url.searchParams.set(name, value);
  }
  const options: RequestOptions = { method: call.method, signal, headers: {} };
  await config.applyToHTTPSOptions(options);
  const body = call.body === undefined ? undefined : Buffer.from(JSON.stringify(call.body));
  options.headers = {
    ...options.headers,
    accept: 'application/json',
    'user-agent': 'nvidia-aicr-chart',
    ...(body === undefined
      ? {}
      : { 'content-type': call.contentType ?? 'application/json', 'content-length': body.length }),
  };
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'http:' ? httpRequest : httpsRequest)(url, options, (response) => {
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
