import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { request } from 'node:https';
import type { ApiServerConnection } from '../../hack/cluster/index.ts';
import { makeCertificate, startTls } from '../runner-core/tls.ts';

/** A way to the real API server that can be broken. */
export interface ApiProxy {
  readonly url: string;
  /** What to trust to speak to it, PEM. */
  readonly ca: string;
  /** Tells for each request what happens: `pass`, `cut` the connection, or answer this status. */
  behaviour: (call: IncomingMessage) => 'pass' | 'cut' | number;
  stop(): void;
}

export async function startProxy(connection: ApiServerConnection): Promise<ApiProxy> {
  const certificate = await makeCertificate();
  const ca = readFileSync(connection.caFile, 'utf8');
  const { server, url } = await startTls(certificate, (call, answer) => {
    const does = proxy.behaviour(call);
    if (does === 'cut') {
      call.socket.destroy();
    } else if (does === 'pass') {
      forward(connection.url, ca, call, answer);
    } else {
      answer.writeHead(does).end(JSON.stringify({ kind: 'Status', message: 'broken on purpose' }));
    }
  });
  const proxy: ApiProxy = {
    url,
    ca: certificate.cert,
    behaviour: () => 'pass',
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return proxy;
}

function forward(server: string, ca: string, call: IncomingMessage, answer: ServerResponse): void {
  const { host: _, ...headers } = call.headers;
  const onward = request(
    `${server}${call.url}`,
    { method: call.method, headers, ca, agent: false },
    (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    },
  );
  onward.on('error', () => answer.destroy());
  call.pipe(onward);
}
