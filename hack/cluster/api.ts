import { request as httpsRequest } from 'node:https';
import type { Access } from './kubeconfig.ts';

/** Answer of an API server: its status, and the body parsed when it is JSON. */
export interface ApiAnswer {
  status: number;
  body: unknown;
}

/**
 * One request to an API server, whatever its status.
 * @param method GET, POST, ...
 * @param path with query
 * @param body sent as JSON
 * @throws Error when nobody answers within ten seconds
 */
export function callApi(access: Access, method: string, path: string, body?: unknown): Promise<ApiAnswer> {
  const headers = { authorization: `Bearer ${access.token}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const options = { method, headers, ca: access.ca, agent: false, timeout: 10_000 };
    const request = httpsRequest(`${access.server}${path}`, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: parse(Buffer.concat(chunks)) }),
      );
    });
    request.on('timeout', () => request.destroy(new Error(`no answer from ${access.server}${path}`)));
    request.on('error', reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function parse(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
