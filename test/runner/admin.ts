import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import type { ApiServerConnection } from '../../hack/cluster/index.ts';

/** An API object, as far as tests look into it. */
export interface ApiObject {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly managedFields?: readonly { readonly manager: string }[];
  };
  readonly [field: string]: unknown;
}

/** Calls to the API server as its administrator. */
export interface Admin {
  /** @throws Error for any status but 2xx */
  call(method: string, path: string, body?: object, contentType?: string): Promise<ApiObject>;
  /** Null when there is none. */
  find(path: string): Promise<ApiObject | null>;
}

export function adminOf(connection: ApiServerConnection): Admin {
  const ca = readFileSync(connection.caFile, 'utf8');
  const send = (
    method: string,
    path: string,
    body: object | undefined,
    contentType: string,
  ): Promise<{ status: number; body: string }> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${connection.adminToken}`, 'content-type': contentType };
      const call = request(`${connection.url}${path}`, { method, headers, ca, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
        );
      });
      call.on('error', reject);
      call.end(body === undefined ? undefined : JSON.stringify(body));
    });
  const checked = async (
    method: string,
    path: string,
    body?: object,
    contentType = 'application/json',
  ): Promise<ApiObject> => {
    const answer = await send(method, path, body, contentType);
    if (answer.status >= 300) {
      throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
    }
    return JSON.parse(answer.body) as ApiObject;
  };
  return {
    call: checked,
    find: async (path) => {
      const answer = await send('GET', path, undefined, 'application/json');
      if (answer.status === 404) {
        return null;
      }
      if (answer.status >= 300) {
        throw new Error(`GET ${path}: ${answer.status} ${answer.body}`);
      }
      return JSON.parse(answer.body) as ApiObject;
    },
  };
}
