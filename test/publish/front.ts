import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An answer of a registry that refuses. */
export interface Refused {
  readonly status: number;
  /** Code and message of the OCI distribution spec's error document. */
  readonly code: string;
  readonly message: string;
}

/** A small front of a registry that refuses to write manifests. */
export interface Front {
  readonly host: string;
  /** How often it refused. */
  readonly refused: () => number;
  stop(): void;
}

/**
 * Starts a front of a plain HTTP registry.
 * @param behind `host:port` of the registry
 * @param answer for each PUT of a manifest
 * @param times how often; afterwards it lets everything through
 * @param address of this machine that it listens on
 */
export async function startFront(
  behind: string,
  answer: Refused,
  times = Number.POSITIVE_INFINITY,
  address = '127.0.0.1',
): Promise<Front> {
  let refused = 0;
  const server = createServer((incoming, response) => {
    if (incoming.method === 'PUT' && incoming.url?.includes('/manifests/') && refused < times) {
      refused += 1;
      incoming.resume();
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ errors: [{ code: answer.code, message: answer.message }] }));
      return;
    }
    const { method, headers, url } = incoming;
    const through = request(`http://${behind}${url}`, { method, headers }, (answered) => {
      response.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(response);
    });
    incoming.pipe(through);
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  return {
    host: `${address}:${(server.address() as AddressInfo).port}`,
    refused: () => refused,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
