import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { RunError } from '../../contract/index.ts';
import type { Http, HttpResponse } from './http.ts';
import { networkCause } from './network-cause.ts';

/** As many as browsers and curl follow at most. */
const MOST_REDIRECTS = 20;

/**
 * GET by Node's own http modules. Not `fetch`: it unpacks a body that a server labels `Content-Encoding: gzip`, as many
 * do for every .gz file, and the hash of an archive is the hash of the bytes as they lie on the server.
 * No request carries credentials.
 */
export function createHttp(): Http {
  return { get };
}

async function get(
  url: string,
  options: { readonly signal: AbortSignal; readonly idleTimeoutMs: number },
): Promise<HttpResponse> {
  let current = url;
  for (let redirects = 0; ; redirects += 1) {
    options.signal.throwIfAborted();
    const response = await send(current, options);
    const target = redirectTarget(response, current);
    if (target === null) {
      return {
        status: response.statusCode ?? 0,
        headers: flatten(response),
        url: current,
        body: readBody(response, current, options),
      };
    }
    response.destroy();
    if (redirects === MOST_REDIRECTS) {
      throw failed(url, `redirected more than ${MOST_REDIRECTS} times`, undefined, false);
    }
    if (new URL(current).protocol === 'https:' && new URL(target).protocol !== 'https:') {
      throw failed(
        url,
        `redirected from https to ${shownUrl(target)}, which anyone on the way could forge`,
        undefined,
        false,
      );
    }
    current = target;
  }
}

function send(
  url: string,
  options: { readonly signal: AbortSignal; readonly idleTimeoutMs: number },
): Promise<IncomingMessage> {
  const { signal, idleTimeoutMs } = options;
  return new Promise((resolve, reject) => {
    const target = new URL(url);
    // Identity: nobody shall pack on the way what is a packed archive already.
    const headers = { 'user-agent': 'nvidia-aicr-chart', accept: '*/*', 'accept-encoding': 'identity' };
    const request = (target.protocol === 'https:' ? httpsRequest : httpRequest)(target, {
      method: 'GET',
      headers,
      // The user part of a URL would become an Authorization header.
      auth: null,
      signal,
      timeout: idleTimeoutMs,
      agent: false,
    });
    let answer: IncomingMessage | null = null;
    // Of the socket, so it also counts between two pieces of the body.
    request.on('timeout', () => (answer ?? request).destroy(new IdleError(idleTimeoutMs)));
    request.on('response', (response) => {
      answer = response;
      resolve(response);
    });
    request.on('error', (error) =>
      reject(signal.aborted ? signal.reason : failed(url, networkCause(error), error, true)),
    );
    request.end();
  });
}

/** Nothing came for the idle timeout. */
class IdleError extends Error {
  constructor(milliseconds: number) {
    super(`nothing came for ${Math.round(milliseconds / 1000)} s`);
  }
}

async function* readBody(
  response: IncomingMessage,
  url: string,
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  let received = 0;
  try {
    for await (const chunk of response) {
      received += (chunk as Buffer).length;
      yield chunk as Buffer;
    }
  } catch (error) {
    if (signal.aborted) {
      throw signal.reason;
    }
    const expected = response.headers['content-length'];
    const amount = expected === undefined ? `${received} bytes` : `${received} of ${expected} bytes`;
    throw failed(url, `the connection was cut after ${amount} (${networkCause(error)})`, error, true);
  }
}

/** The absolute URL a response sends to, or null when it is the answer. */
function redirectTarget(response: IncomingMessage, url: string): string | null {
  const { location } = response.headers;
  if (![301, 302, 303, 307, 308].includes(response.statusCode ?? 0) || location === undefined) {
    return null;
  }
  let target: URL;
  try {
    target = new URL(location, url);
  } catch (error) {
    response.destroy();
    throw failed(url, `redirected to ${JSON.stringify(location)}, which is no URL`, error, false);
  }
  if (target.protocol !== 'http:' && target.protocol !== 'https:') {
    response.destroy();
    throw failed(url, `redirected to ${target.protocol}, which is not http or https`, undefined, false);
  }
  return target.href;
}

function flatten(response: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined) {
      headers[name] = Array.isArray(value) ? value.join(', ') : value;
    }
  }
  return headers;
}

function failed(url: string, what: string, cause: unknown, transient: boolean): RunError {
  const proxy = PROXY_VARIABLES.find((name) => (process.env[name] ?? '') !== '');
  return new RunError('DownloadFailed', `GET ${shownUrl(url)}: ${what}`, {
    hint:
      proxy === undefined
        ? 'Check that the pod may reach this host, or point aicrSource.baseUrl at a mirror it can reach.'
        : `This download goes through no proxy, other than what aicr and helm fetch (${proxy} is set): point aicrSource.baseUrl at a mirror that the pod reaches without one.`,
    transient,
    cause,
  });
}

/** Node's own http modules use none of them. */
const PROXY_VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];

/** A URL without user part, query and fragment: signed links of storage hosts carry credentials there. */
export function shownUrl(url: string): string {
  const parsed = new URL(url);
  return `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
}
