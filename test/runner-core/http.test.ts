import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test, vi } from 'vitest';
import { createHttp } from '../../src/runner/ports/index.ts';
import { makeCertificate, startTls } from './tls.ts';

const servers: { close(): unknown; closeAllConnections?(): void }[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections?.();
    server.close();
  }
});

const serve = async (answer: RequestListener): Promise<string> => {
  const server: Server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const get = (url: string, signal = new AbortController().signal, idleTimeoutMs = 5000) =>
  createHttp().get(url, { signal, idleTimeoutMs });

const read = async (body: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

test('status, headers and bytes come as they are, whatever the status', async () => {
  const url = await serve((_, response) => response.writeHead(404, { 'X-Seen': 'yes' }).end('gone'));
  const answer = await get(`${url}/a`);
  expect(answer).toMatchObject({ status: 404, url: `${url}/a`, headers: { 'x-seen': 'yes' } });
  expect((await read(answer.body)).toString()).toBe('gone');
});

test('an archive that a server labels as content-encoding gzip is not unpacked', async () => {
  const archive = gzipSync('content');
  const url = await serve((_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(archive),
  );
  expect((await read((await get(url)).body)).equals(archive)).toBe(true);
});

test('redirects are followed, to other hosts too, and no request carries credentials', async () => {
  const seen: (string | undefined)[] = [];
  const storage = await serve((request, response) => {
    seen.push(request.headers.authorization);
    response.end('the file');
  });
  const url = await serve((request, response) => {
    seen.push(request.headers.authorization);
    const location = request.url === '/a' ? '/b' : `${storage}/c?signature=x`;
    response.writeHead(request.url === '/a' ? 301 : 307, { location }).end();
  });
  const answer = await get(`${url.replace('//', '//user:secret@')}/a`);
  expect((await read(answer.body)).toString()).toBe('the file');
  expect(answer.url).toBe(`${storage}/c?signature=x`);
  expect(seen).toEqual([undefined, undefined, undefined]);
});

test.each([
  ['/loop', 'redirected more than'],
  ['ftp://host/file', 'which is not http or https'],
  ['http://[', 'which is no URL'],
])('a redirect to %s is refused for good', async (location, words) => {
  const url = await serve((_, response) => response.writeHead(302, { location }).end());
  await expect(get(url)).rejects.toMatchObject({
    code: 'DownloadFailed',
    transient: false,
    message: expect.stringContaining(words),
  });
});

test('a redirect from https to http is refused', async () => {
  const certificate = await makeCertificate();
  const plain = await serve((_, response) => response.end('forged'));
  const { server, url } = await startTls(certificate, (_, response) =>
    response.writeHead(302, { location: plain }).end(),
  );
  servers.push(server);
  // This server's certificate is trusted for once.
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  try {
    await expect(get(url)).rejects.toMatchObject({
      code: 'DownloadFailed',
      transient: false,
      message: expect.stringContaining(`redirected from https to ${plain}`),
    });
  } finally {
    vi.unstubAllEnvs();
  }
});

test('a connection that is cut in the middle says how far it came', async () => {
  const url = await serve((_, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('x'.repeat(400), () => response.destroy());
  });
  const answer = await get(`${url}/f?token=secret`);
  await expect(read(answer.body)).rejects.toMatchObject({
    code: 'DownloadFailed',
    transient: true,
    message: expect.stringMatching(/\/f: the connection was cut after 400 of 1000 bytes/),
  });
});

test('a server that stops sending counts as dead after the idle timeout', async () => {
  const url = await serve((_, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('x');
  });
  const answer = await get(url, undefined, 1000);
  await expect(read(answer.body)).rejects.toMatchObject({
    code: 'DownloadFailed',
    transient: true,
    message: expect.stringMatching(/after 1 of 1000 bytes \(nothing came for/),
  });
});

test('a server that never answers counts as dead after the idle timeout', async () => {
  const url = await serve(() => {});
  await expect(get(url, undefined, 300)).rejects.toMatchObject({
    code: 'DownloadFailed',
    transient: true,
    message: expect.stringContaining('nothing came for'),
  });
});

test('a server that sends slowly, but sends, is not dead', async () => {
  const url = await serve(async (_, response) => {
    // Longer than the timeout altogether, and each pause far shorter: a busy machine makes them longer.
    for (let count = 0; count < 25; count += 1) {
      response.write('x');
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    response.end();
  });
  expect((await read((await get(url, undefined, 2000)).body)).toString()).toBe('x'.repeat(25));
});

test('why there is no answer is said in words', async () => {
  // Nothing listens there.
  await expect(get('http://127.0.0.1:1/x')).rejects.toMatchObject({
    code: 'DownloadFailed',
    transient: true,
    message: 'GET http://127.0.0.1:1/x: the connection was refused (ECONNREFUSED 127.0.0.1:1)',
  });
  // A resolver asks again after five seconds when an answer is lost.
  await expect(get('https://no-such-host.invalid/x', undefined, 30_000)).rejects.toMatchObject({
    message: expect.stringMatching(/the name is not known to DNS|DNS does not answer/),
  });
  const { server, url } = await startTls(await makeCertificate(), (_, response) => response.end());
  servers.push(server);
  await expect(get(url)).rejects.toMatchObject({ message: expect.stringContaining('not trusted here') });
  const plain = await serve((_, response) => response.end());
  await expect(get(plain.replace('http:', 'https:'))).rejects.toMatchObject({
    message: expect.stringContaining('does not speak TLS'),
  });
});

test.each(['HTTPS_PROXY', 'http_proxy'])(
  'a proxy that is set (%s) and not used is named',
  async (variable) => {
    vi.stubEnv(variable, 'http://proxy.example:3128');
    await expect(get('http://127.0.0.1:9/x')).rejects.toMatchObject({
      hint: `This download goes through no proxy, other than what aicr and helm fetch (${variable} is set): point aicrSource.baseUrl at a mirror that the pod reaches without one.`,
    });
    vi.stubEnv(variable, '');
    await expect(get('http://127.0.0.1:9/x')).rejects.toMatchObject({
      hint: expect.stringMatching(/^Check that the pod may reach this host/),
    });
  },
);

test('an abort ends a request and a body with its reason', async () => {
  const abort = new AbortController();
  const silent = await serve(() => abort.abort(new Error('stop')));
  await expect(get(silent, abort.signal)).rejects.toThrow('stop');

  const again = new AbortController();
  const slow = await serve((_, response) => void response.write('x'));
  const answer = await get(slow, again.signal);
  setTimeout(() => again.abort(new Error('stop here')), 50);
  await expect(read(answer.body)).rejects.toThrow('stop here');
});
