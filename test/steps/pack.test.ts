import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dockerConfig } from '../../hack/cluster/index.ts';
import { RunError } from '../../src/contract/index.ts';
import type { PackStep } from '../../src/runner/planned.ts';
import { runStep } from '../../src/runner/steps/index.ts';
import { type TestContext, temporaryFolder, testContext } from './context.ts';
import { orasPath, push, type Registries, startRegistries, writePack } from './registries.ts';

// Asked once: where it lies depends on HOME, which a test changes.
const oras = orasPath();
let registries: Registries;
let work: string;
let source: string;
let test: TestContext;

beforeAll(async () => {
  registries = await startRegistries();
});
afterAll(() => registries.stop());
beforeEach(() => {
  work = temporaryFolder();
  source = join(temporaryFolder(), 'pack');
  writePack(source);
  test = testContext();
});

const step = (ref: string, change: Partial<PackStep> = {}): PackStep => ({
  name: 'pack',
  does: `pull ${ref}`,
  ref,
  plainHTTP: true,
  insecureTLS: false,
  secret: '',
  namespace: 'nvidia-aicr',
  secretFile: join(work, 'secret', 'config.json'),
  oras,
  dir: join(work, 'pack'),
  digestFile: join(work, 'pack.digest'),
  ...change,
});

const pull = (ref: string, change?: Partial<PackStep>) => runStep(step(ref, change), test.context);

async function failure(ref: string, change?: Partial<PackStep>): Promise<RunError> {
  const error = await pull(ref, change).then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof RunError)) throw error;
  expect(existsSync(join(work, 'pack'))).toBe(false);
  expect(error.hint).not.toBe('');
  return error;
}

function landSecret(text: string): void {
  mkdirSync(join(work, 'secret'), { recursive: true });
  writeFileSync(join(work, 'secret', 'config.json'), text);
}

describe('a pack', () => {
  it('that was pushed from inside its folder is put in its place', async () => {
    const digest = await push(registries.open, 'acme/inside:1', source, '.');
    await pull(`${registries.open.host}/acme/inside:1`);
    expect(readdirSync(join(work, 'pack')).sort()).toEqual(['overlays', 'registry.yaml']);
    expect(test.recorded.facts.pack).toEqual({ ref: `${registries.open.host}/acme/inside:1`, digest });
    expect(readFileSync(join(work, 'pack.digest'), 'utf8')).toBe(digest);
    expect(readdirSync(work).sort()).toEqual(['pack', 'pack.digest']);
  });

  it('that was pushed as a folder is found inside', async () => {
    await push(registries.open, 'acme/folder:1', join(source, '..'), './pack');
    await pull(`${registries.open.host}/acme/folder:1`);
    expect(readdirSync(join(work, 'pack')).sort()).toEqual(['overlays', 'registry.yaml']);
  });

  it('may be named by its digest', async () => {
    const digest = await push(registries.open, 'acme/digest:1', source, '.');
    await pull(`${registries.open.host}/acme/digest@${digest}`);
    expect(test.recorded.facts.pack?.digest).toBe(digest);
  });

  it('replaces one that was there', async () => {
    mkdirSync(join(work, 'pack'));
    writeFileSync(join(work, 'pack', 'old.yaml'), '');
    await push(registries.open, 'acme/inside:1', source, '.');
    await pull(`${registries.open.host}/acme/inside:1`);
    expect(existsSync(join(work, 'pack', 'old.yaml'))).toBe(false);
  });

  it('without registry.yaml is refused, naming it and what was found', async () => {
    writeFileSync(join(source, 'values.yaml'), '');
    await push(registries.open, 'acme/other:1', source, 'values.yaml', 'overlays/acme.yaml');
    const error = await failure(`${registries.open.host}/acme/other:1`);
    expect(error.code).toBe('PackInvalid');
    expect(error.message).toContain(`${registries.open.host}/acme/other:1`);
    expect(error.message).toContain('overlays/, values.yaml');
  });

  it('with links is refused before aicr sees it', async () => {
    symlinkSync('registry.yaml', join(source, 'overlays', 'link.yaml'));
    await push(registries.open, 'acme/links:1', source, '.');
    const error = await failure(`${registries.open.host}/acme/links:1`);
    expect(error.code).toBe('PackInvalid');
    expect(error.message).toContain('overlays/link.yaml');
  });

  it('that is not there is not asked for again', async () => {
    const error = await failure(`${registries.open.host}/acme/nowhere:1`);
    expect(error.code).toBe('PackNotFound');
    expect(error.message).toContain('acme/nowhere:1');
    expect(test.recorded.retries).toEqual([]);
  });

  it.each(['acme/no-tag', 'ACME/Capitals:1'])('cannot be named %s', async (name) => {
    const error = await failure(`${registries.open.host}/${name}`);
    expect(error.code).toBe('RunSpecInvalid');
    expect(error.hint).toContain('dataPack');
  });
});

describe('a private pack', () => {
  const ref = (): string => `${registries.guarded.host}/acme/private:1`;
  const secret = { secret: 'pull-secret' };
  beforeAll(async () => {
    const folder = join(temporaryFolder(), 'pack');
    writePack(folder);
    await push(registries.guarded, 'acme/private:1', folder, '.');
  });

  it('is pulled with the login of its Secret, of which nothing is left or shown', async () => {
    landSecret(dockerConfig(registries.guarded));
    await pull(ref(), secret);
    expect(readdirSync(work).sort()).toEqual(['pack', 'pack.digest', 'secret']);
    const { login } = registries.guarded;
    test.context.log.info(`password ${login?.password}`);
    expect(test.recorded.log.at(-1)).toBe('password ***');
  });

  it('is pulled with user name and password that end in line ends', async () => {
    const { user, password } = registries.guarded.login ?? { user: '', password: '' };
    landSecret(
      JSON.stringify({
        auths: {
          [`https://${registries.guarded.host}/v1/`]: { username: `${user}\n`, password: `${password}\r\n` },
        },
      }),
    );
    await expect(pull(ref(), secret)).resolves.toBeDefined();
  });

  it('is refused with wrong credentials: unauthorized, which Secret, and no second try', async () => {
    landSecret(dockerConfig(registries.guarded, 'wrong-password'));
    const error = await failure(ref(), secret);
    expect(error.code).toBe('PackUnauthorized');
    expect(error.message).toContain('unauthorized');
    expect(error.message).toContain('Secret pull-secret');
    expect(error.message).toContain(registries.guarded.host);
    expect(JSON.stringify([error.message, error.hint, error.tail, test.recorded.log])).not.toContain(
      'wrong-password',
    );
    expect(test.recorded.retries).toEqual([]);
  });

  it('is refused without a Secret', async () => {
    const error = await failure(ref());
    expect(error.code).toBe('PackUnauthorized');
    expect(error.message).toContain('anonymous');
    expect(error.hint).toContain('dataPackSecret');
  });

  it('is never pulled with a docker config that lies around', async () => {
    const home = temporaryFolder();
    mkdirSync(join(home, '.docker'));
    writeFileSync(join(home, '.docker', 'config.json'), dockerConfig(registries.guarded));
    const before = { HOME: process.env['HOME'], DOCKER_CONFIG: process.env['DOCKER_CONFIG'] };
    process.env['HOME'] = home;
    process.env['DOCKER_CONFIG'] = join(home, '.docker');
    try {
      expect((await failure(ref())).code).toBe('PackUnauthorized');
    } finally {
      process.env['HOME'] = before.HOME;
      if (before.DOCKER_CONFIG === undefined) delete process.env['DOCKER_CONFIG'];
      else process.env['DOCKER_CONFIG'] = before.DOCKER_CONFIG;
    }
  });

  it('is not pulled anonymously when the Secret has no entry for its host, even if it could be', async () => {
    await push(registries.open, 'acme/inside:1', source, '.');
    landSecret(dockerConfig(registries.guarded));
    const error = await failure(`${registries.open.host}/acme/inside:1`, secret);
    expect(error.code).toBe('SecretInvalid');
    expect(error.message).toContain(`no entry for ${registries.open.host}`);
  });

  it('waits for a Secret that lands late, and says so', async () => {
    const pulled = pull(ref(), secret);
    await expect.poll(() => test.recorded.sleeps.length).toBeGreaterThan(3);
    expect(test.recorded.waits).toEqual([expect.stringContaining('waiting for Secret pull-secret')]);
    landSecret(dockerConfig(registries.guarded));
    await pulled;
    expect(test.recorded.waits).toHaveLength(2);
    expect(test.recorded.waits[1]).toContain('is here');
  });

  it('fails with SecretMissing when the deadline comes first', async () => {
    const pulled = failure(ref(), secret);
    await expect.poll(() => test.recorded.waits.length).toBe(1);
    test.abort(new RunError('DeadlineExceeded', 'the deadline came', { hint: 'x' }));
    const error = await pulled;
    expect(error.code).toBe('SecretMissing');
    expect(error.message).toContain('pull-secret');
    expect(error.message).toContain('nvidia-aicr');
  });

  it('stops waiting when the run is interrupted', async () => {
    const pulled = failure(ref(), secret);
    await expect.poll(() => test.recorded.waits.length).toBe(1);
    test.abort(new RunError('Interrupted', 'SIGTERM', { hint: 'x' }));
    expect((await pulled).code).toBe('Interrupted');
  });
});

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
    const closed = await answering(() => {});
    closed.server.close();
    const error = await failure(`${closed.host}/acme/pack:1`);
    expect(error.code).toBe('PackPullFailed');
    expect(error.message).toContain('refused');
    expect(error.hint).toContain(closed.host);
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
  answer: (
    request: import('node:http').IncomingMessage,
    response: import('node:http').ServerResponse,
  ) => unknown,
): Promise<{ host: string; server: Server; requests: () => number }> {
  let count = 0;
  const server = createServer((request, response) => {
    count += 1;
    void answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, server, requests: () => count };
}
