import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { dockerConfig } from '../../hack/cluster/index.ts';
import { RunError } from '../../src/contract/index.ts';
import { temporaryFolder } from './context.ts';
import { failure, landSecret, pull, pullSecret, registries, source, test, work } from './pulling.ts';
import { push, writePack } from './registries.ts';

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

  it('that is written as docker takes it for its Hub is said to lack a host', async () => {
    const oras = join(temporaryFolder(), 'oras');
    const said = 'Error: Get "https://acme/v2/pack/manifests/1": dial tcp: lookup acme: no such host';
    writeFileSync(oras, `#!/bin/sh\necho '${said}' >&2\nexit 1\n`, { mode: 0o755 });
    const error = await failure('acme/pack:1', { oras });
    expect(error.hint).toBe(
      'Check that acme is up and can be reached from this node. If acme is not a host but an account at the Docker Hub, write docker.io/acme/pack.',
    );
  });

  it.each(['acme/no-tag', 'ACME/Capitals:1'])('cannot be named %s', async (name) => {
    const error = await failure(`${registries.open.host}/${name}`);
    expect(error.code).toBe('RunSpecInvalid');
    expect(error.hint).toContain('dataPack');
  });
});

describe('a private pack', () => {
  const ref = (): string => `${registries.guarded.host}/acme/private:1`;
  const asked = () => ({ secret: pullSecret() });
  beforeAll(async () => {
    const folder = join(temporaryFolder(), 'pack');
    writePack(folder);
    await push(registries.guarded, 'acme/private:1', folder, '.');
  });

  it('is pulled with the login of its Secret, of which nothing is left or shown', async () => {
    landSecret(dockerConfig(registries.guarded));
    await pull(ref(), asked());
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
    await expect(pull(ref(), asked())).resolves.toBeDefined();
  });

  it('is refused with wrong credentials: unauthorized, which Secret, and no second try', async () => {
    landSecret(dockerConfig(registries.guarded, 'wrong-password'));
    const error = await failure(ref(), asked());
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
    const error = await failure(`${registries.open.host}/acme/inside:1`, asked());
    expect(error.code).toBe('SecretInvalid');
    expect(error.message).toContain(`no entry for ${registries.open.host}`);
  });

  it('is refused at once when the Secret has another key, naming those it has', async () => {
    landSecret(dockerConfig(registries.guarded), 'config.json');
    const error = await failure(ref(), asked());
    expect(error.code).toBe('SecretInvalid');
    expect(error.message).toBe(
      'Secret pull-secret (dataPackSecret) in namespace nvidia-aicr has no key .dockerconfigjson (its keys: config.json)',
    );
    expect(test.recorded.waits).toEqual([]);
  });

  it('waits for a Secret that lands late, and says so', async () => {
    const pulled = pull(ref(), asked());
    await expect.poll(() => test.recorded.sleeps.length).toBeGreaterThan(3);
    expect(test.recorded.waits).toEqual([
      expect.stringMatching(
        /^waiting for Secret pull-secret .* needs it; once it is there, the run goes on by itself /,
      ),
    ]);
    landSecret(dockerConfig(registries.guarded));
    await pulled;
    expect(test.recorded.waits).toHaveLength(2);
    expect(test.recorded.waits[1]).toContain('here');
  });

  it('fails with SecretMissing when the deadline comes first', async () => {
    const pulled = failure(ref(), asked());
    await expect.poll(() => test.recorded.waits.length).toBe(1);
    test.abort(new RunError('DeadlineExceeded', 'the deadline came', { hint: 'x' }));
    const error = await pulled;
    expect(error.code).toBe('SecretMissing');
    expect(error.message).toContain('pull-secret');
    expect(error.message).toContain('nvidia-aicr');
  });

  it('stops waiting when the run is interrupted', async () => {
    const pulled = failure(ref(), asked());
    await expect.poll(() => test.recorded.waits.length).toBe(1);
    test.abort(new RunError('Interrupted', 'SIGTERM', { hint: 'x' }));
    expect((await pulled).code).toBe('Interrupted');
  });
});
