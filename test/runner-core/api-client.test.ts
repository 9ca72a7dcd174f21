import type { RequestListener } from 'node:http';
import type { Server } from 'node:https';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { createApiClient } from '../../src/runner/ports/api-client.ts';
import { createClock } from '../../src/runner/ports/index.ts';
import { type Certificate, makeCertificate, startTls } from './tls.ts';

let certificate: Certificate;
let server: Server | undefined;

beforeAll(async () => {
  certificate = await makeCertificate();
});
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Calls a server that answers as told, one answer a request; the last one stays. */
const call = async (...answers: RequestListener[]) => {
  const seen: { authorization: string | undefined }[] = [];
  const started = await startTls(certificate, (request, response) => {
    seen.push({ authorization: request.headers.authorization });
    answers[Math.min(seen.length, answers.length) - 1]?.(request, response);
  });
  server = started.server;
  const slept: number[] = [];
  const clock = { ...createClock(), sleep: async (ms: number) => void slept.push(ms) };
  const tokens = ['first', 'second', 'third'];
  const account = {
    server: started.url,
    credentials: () => ({ token: tokens[seen.length] ?? 'later', ca: certificate.cert }),
  };
  const client = createApiClient(account, clock);
  const result = client({ what: 'read it', method: 'GET', path: '/x' }, new AbortController().signal);
  return { result, seen, slept };
};

const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));

test('an answer that passes by itself is asked for again, with the token of that moment', async () => {
  const { result, seen } = await call(
    answer(503, 'starting'),
    (request) => request.socket.destroy(),
    answer(200, { ok: true }),
  );
  expect(await result).toEqual({ ok: true });
  expect(seen.map(({ authorization }) => authorization)).toEqual([
    'Bearer first',
    'Bearer second',
    'Bearer third',
  ]);
});

test('a pause that the server asks for is kept, within bounds', async () => {
  const { result, slept } = await call(
    answer(429, '', { 'retry-after': '4' }),
    answer(429, '', { 'retry-after': '3600' }),
    answer(200, {}),
  );
  await result;
  expect(slept).toEqual([4000, 10_000]);
});

test('after three tries it is given up, with the server’s words', async () => {
  const { result, seen } = await call(answer(500, { kind: 'Status', message: 'etcd leader changed' }));
  await expect(result).rejects.toMatchObject({
    code: 'ClusterUnreachable',
    transient: true,
    message: 'cannot read it: the API server answers: etcd leader changed (HTTP 500)',
  });
  expect(seen).toHaveLength(3);
});

test.each([
  [
    401,
    { message: 'Unauthorized' },
    { code: 'RightsMissing', transient: false, hint: expect.stringMatching(/^Check the ClusterRoleBinding/) },
  ],
  [
    403,
    { message: 'jobs is forbidden' },
    { code: 'RightsMissing', message: expect.stringContaining('jobs is forbidden') },
  ],
  [
    422,
    { message: 'too long' },
    {
      code: 'Internal',
      status: 422,
      message: expect.stringContaining('too long'),
      hint: 'Run it again; report it when it stays.',
    },
  ],
])('a refusal with status %d is not tried again', async (status, body, error) => {
  const { result, seen } = await call(answer(status, body));
  await expect(result).rejects.toMatchObject(error);
  expect(seen).toHaveLength(1);
});

test.each([
  [400, 'admission webhook "validate.kyverno.svc" denied the request: label team is required'],
  [403, 'admission webhook "gatekeeper.sh" denied the request: not in kube-system'],
  [403, 'leases "nvidia-aicr" is forbidden: exceeded quota: leases, requested: 1, used: 1, limited: 1'],
  [
    403,
    'configmaps "a" is forbidden: unable to create new content in namespace gpu because it is being terminated',
  ],
  [422, "configmaps \"a\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no"],
  [422, 'ConfigMap "a" is invalid: data: Forbidden: field is immutable when `immutable` is set'],
])('a refusal that is not about rights (%d) is not explained by them: %s', async (status, message) => {
  const { result } = await call(answer(status, { message }));
  await expect(result).rejects.toMatchObject({
    message: expect.stringContaining(message),
    hint: expect.stringMatching(/^The cluster refuses this object, whoever asks/),
  });
});

test('something else that answers is no API server', async () => {
  const { result } = await call(answer(200, '<html>sign in</html>'));
  await expect(result).rejects.toMatchObject({
    code: 'ClusterUnreachable',
    message: expect.stringContaining('<html>sign in'),
  });
});

test('a server with a certificate of another authority is not spoken to', async () => {
  const { cert } = await makeCertificate();
  let asked = 0;
  const started = await startTls(certificate, (_, response) => {
    asked += 1;
    response.end('{}');
  });
  server = started.server;
  const account = { server: started.url, credentials: () => ({ token: 't', ca: cert }) };
  const client = createApiClient(account, { ...createClock(), sleep: async () => {} });
  await expect(
    client({ what: 'read it', method: 'GET', path: '/x' }, new AbortController().signal),
  ).rejects.toMatchObject({ code: 'ClusterUnreachable', message: expect.stringMatching(/not trusted here/) });
  expect(asked).toBe(0);
});

test('an abort ends the waiting for an answer with its reason', async () => {
  const abort = new AbortController();
  const started = await startTls(certificate, () => abort.abort(new Error('stop')));
  server = started.server;
  const account = { server: started.url, credentials: () => ({ token: 't', ca: certificate.cert }) };
  const client = createApiClient(account, createClock());
  await expect(client({ what: 'read it', method: 'GET', path: '/x' }, abort.signal)).rejects.toThrow('stop');
});
