import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RunError } from '../../src/contract/index.ts';
import { failure, pull, registries, source, test, work } from './pulling.ts';
import { push } from './registries.ts';

describe('a registry', () => {
  it('that speaks plain HTTP is not spoken to so without being told', async () => {
    const error = await failure(`${registries.open.host}/acme/inside:1`, { plainHTTP: false });
    expect(error.code).toBe('PackPullFailed');
    expect(error.hint).toContain('dataPackPlainHTTP');
    expect(test.recorded.retries).toEqual([]);
  });

  it('that speaks plain HTTP is not reached by switching off certificate checks', async () => {
    const error = await failure(`${registries.open.host}/acme/inside:1`, {
      plainHTTP: false,
      insecureTLS: true,
    });
    expect(error.hint).toContain('dataPackPlainHTTP');
  });

  it('with an untrusted certificate is refused, naming the switch', async () => {
    const error = await failure(`${registries.untrusted.host}/acme/pack:1`, { plainHTTP: false });
    expect(error.code).toBe('PackPullFailed');
    expect(error.hint).toContain('dataPackInsecureTLS');
    expect(test.recorded.retries).toEqual([]);
  });

  it('with an untrusted certificate is taken when told so', async () => {
    await push(registries.untrusted, 'acme/pack:1', source, '.');
    await pull(`${registries.untrusted.host}/acme/pack:1`, { plainHTTP: false, insecureTLS: true });
    expect(existsSync(join(work, 'pack', 'registry.yaml'))).toBe(true);
  });

  it('that speaks HTTPS is not reached by plain HTTP', async () => {
    const error = await failure(`${registries.untrusted.host}/acme/pack:1`);
    expect(error.code).toBe('PackPullFailed');
    expect(error.hint).toContain('dataPackPlainHTTP');
    expect(test.recorded.retries).toEqual([]);
  });

  it('that does not answer is tried again, then named', async () => {
    // Nothing listens there; a port that was just closed may be given to the server of another test.
    const closed = '127.0.0.1:1';
    const error = await failure(`${closed}/acme/pack:1`);
    expect(error.code).toBe('PackPullFailed');
    expect(error.message).toContain('refused');
    expect(error.hint).toContain(closed);
    expect(test.recorded.retries.length).toBeGreaterThan(2);
  });

  it('that is in trouble for a while is tried again', async () => {
    await push(registries.open, 'acme/inside:1', source, '.');
    const { host } = registries.open;
    let troubles = 2;
    // oras tries again by itself on 5xx; a connection that is cut it does not.
    const proxy = await answering(async (request, response) => {
      if (troubles > 0) {
        troubles -= 1;
        request.socket.destroy();
        return;
      }
      const answer = await fetch(`http://${host}${request.url}`, {
        headers: { accept: request.headers.accept ?? '' },
      });
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
    await pull(`${proxy.host}/acme/inside:1`);
    proxy.server.close();
    expect(troubles).toBe(0);
    expect(existsSync(join(work, 'pack', 'registry.yaml'))).toBe(true);
  });

  it('that never answers does not outlive the run', async () => {
    const silent = await answering(() => {});
    const pulled = failure(`${silent.host}/acme/pack:1`);
    await expect.poll(() => silent.requests()).toBeGreaterThan(0);
    test.abort(new RunError('Interrupted', 'SIGTERM', { hint: 'x' }));
    expect((await pulled).code).toBe('Interrupted');
    silent.server.closeAllConnections();
    silent.server.close();
  });
});

it('without oras, the step names what is not there', async () => {
  const error = await failure(`${registries.open.host}/acme/inside:1`, { oras: join(work, 'no-oras') });
  expect(error.code).toBe('ToolMissing');
});

/** A small HTTP server on loopback. */
async function answering(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<{ host: string; server: Server; requests: () => number }> {
  let count = 0;
  const server = createServer((request, response) => {
    count += 1;
    void answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, server, requests: () => count };
}
