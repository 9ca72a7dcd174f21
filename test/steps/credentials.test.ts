import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { RunError } from '../../src/contract/index.ts';
import { loginFor, registryOf } from '../../src/runner/steps/registry/index.ts';

const REF = 'r.example:5000/acme/pack:1';
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const LOGIN = { auth: base64('robot:s3cret-token') };

const login = (config: unknown, ref = REF) =>
  loginFor(typeof config === 'string' ? config : JSON.stringify(config), registryOf(ref), {
    name: 'pull-secret',
    namespace: 'nvidia-aicr',
    key: '.dockerconfigjson',
    dir: '/secrets/pack',
    value: 'dataPackSecret',
  });

async function refusal(config: unknown, ref = REF): Promise<RunError> {
  const error = await login(config, ref).then(
    () => new Error('it was taken'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof RunError)) throw error;
  expect(error.code).toBe('SecretInvalid');
  expect(error.message).toContain('pull-secret');
  expect(error.hint).not.toBe('');
  return error;
}

describe('a reference', () => {
  it.each([
    ['r.example:5000/acme/pack:1', 'r.example:5000', 'acme/pack'],
    ['GHCR.io/acme/pack:1.0.0', 'ghcr.io', 'acme/pack'],
    [`ghcr.io/acme/pack:1@sha256:${'a'.repeat(64)}`, 'ghcr.io', 'acme/pack'],
    [`localhost:5000/pack@sha256:${'a'.repeat(64)}`, 'localhost:5000', 'pack'],
    ['ghcr.io/pack', 'ghcr.io', 'pack'],
    ['ghcr.io', 'ghcr.io', ''],
    ['/pack', '', 'pack'],
    ['r.example:5000/a:1/pack', 'r.example:5000', 'a:1/pack'],
    ['[::1]:5000/pack:1', '[::1]:5000', 'pack'],
  ])('%s is taken apart', (ref, host, repository) => {
    expect(registryOf(ref)).toEqual({ host, repository });
  });
});

describe('a login is found', () => {
  it.each([
    ['by its host', { auths: { 'r.example:5000': LOGIN } }],
    [
      'as user name and password',
      { auths: { 'r.example:5000': { username: 'robot', password: 's3cret-token' } } },
    ],
    ['under a key with a scheme', { auths: { 'https://r.example:5000': LOGIN } }],
    ['under a key with a scheme and /v1/', { auths: { 'https://r.example:5000/v1/': LOGIN } }],
    ['under a key with /v2', { auths: { 'r.example:5000/v2': LOGIN } }],
    ['under a key in capitals', { auths: { 'R.Example:5000': LOGIN } }],
    ["under a key for the repository's path", { auths: { 'r.example:5000/acme': LOGIN } }],
    ['beside other hosts', { auths: { 'other.example': { auth: 'eDp5' }, 'r.example:5000': LOGIN } }],
    ['although a helper is named as well', { credsStore: 'desktop', auths: { 'r.example:5000': LOGIN } }],
    [
      'with line ends behind user name and password',
      { auths: { 'r.example:5000': { username: ' robot\n', password: 's3cret-token\r\n' } } },
    ],
    [
      'with a line end inside the base64',
      { auths: { 'r.example:5000': { auth: base64('robot:s3cret-token\n') } } },
    ],
    [
      'with a blank in front of the user name',
      { auths: { 'r.example:5000': { auth: base64(' robot :s3cret-token') } } },
    ],
    ['with a line end behind the base64', { auths: { 'r.example:5000': { auth: `${LOGIN.auth}\n` } } }],
  ])('%s', async (_, config) => {
    expect((await login(config)).config).toEqual({ auths: { 'r.example:5000': LOGIN } });
  });

  it('of the longest fitting path', async () => {
    const { config } = await login({
      auths: {
        'r.example:5000': { auth: base64('any:one') },
        'r.example:5000/acme': LOGIN,
        'r.example:5000/acmes': { auth: base64('other:team') },
      },
    });
    expect(config.auths['r.example:5000']).toEqual(LOGIN);
  });

  it('with a password that holds colons', async () => {
    const { config } = await login({ auths: { 'r.example:5000': { auth: base64('robot:a:b:c') } } });
    expect(config.auths['r.example:5000']?.auth).toBe(base64('robot:a:b:c'));
  });

  it.each(['identitytoken', 'registrytoken'])('as %s, trimmed', async (kind) => {
    const { config, secrets } = await login({ auths: { 'r.example:5000': { [kind]: 'token-1234\n' } } });
    expect(config.auths).toEqual({ 'r.example:5000': { [kind]: 'token-1234' } });
    expect(secrets).toContain('token-1234');
  });

  it.each(['docker.io', 'index.docker.io', 'https://index.docker.io/v1/', 'registry-1.docker.io'])(
    'of the Docker Hub under %s, and is offered under the name oras asks for',
    async (key) => {
      const { config } = await login({ auths: { [key]: LOGIN } }, 'docker.io/acme/pack:1');
      expect(config.auths['https://index.docker.io/v1/']).toEqual(LOGIN);
      expect(config.auths['docker.io']).toEqual(LOGIN);
    },
  );

  it('and nothing of another host goes with it', async () => {
    const { config } = await login({
      auths: { 'other.example': { auth: base64('x:y') }, 'r.example:5000': LOGIN },
      HttpHeaders: { 'X-Meta': 'z' },
    });
    expect(Object.keys(config.auths)).toEqual(['r.example:5000']);
    expect(Object.keys(config)).toEqual(['auths']);
  });

  it('and every spelling of it is secret', async () => {
    const auth = base64('robot:s3cret-token\n');
    const { secrets } = await login({ auths: { 'r.example:5000': { auth } } });
    expect(secrets).toEqual(['s3cret-token', LOGIN.auth, auth]);
  });

  it('and the user name beside "auth" is no secret, but goes before the one in it', async () => {
    const entry = { auth: base64('old:older'), username: 'robot', password: 's3cret-token' };
    const { config, secrets } = await login({ auths: { 'r.example:5000': entry } });
    expect(config.auths['r.example:5000']).toEqual(LOGIN);
    expect(secrets).toEqual(['s3cret-token', LOGIN.auth, entry.auth]);
  });

  it('although the file begins with a byte-order mark', async () => {
    const { config } = await login(`\uFEFF${JSON.stringify({ auths: { 'r.example:5000': LOGIN } })}`);
    expect(config.auths['r.example:5000']).toEqual(LOGIN);
  });

  it.each([
    ['the whole repository', { 'r.example:5000/acme/pack': LOGIN, 'r.example:5000/acme': { auth: 'eDp5' } }],
    ['the plain spelling', { 'https://r.example:5000': { auth: 'eDp5' }, 'r.example:5000': LOGIN }],
    ['a path behind /v2/', { 'r.example:5000': { auth: 'eDp5' }, 'r.example:5000/v2/acme//': LOGIN }],
    ['a scheme in capitals', { 'HTTP://r.example:5000/v1': LOGIN }],
    ['blanks around the key', { ' r.example:5000 ': LOGIN }],
    [
      'a path that begins as a version does',
      { 'r.example:5000/v1x': { auth: 'eDp5' }, 'r.example:5000': LOGIN },
    ],
  ])('by the key that fits best: %s', async (_, auths) => {
    expect((await login({ auths })).config.auths['r.example:5000']).toEqual(LOGIN);
  });

  it('by a path that ends as a version does', async () => {
    const auths = { 'r.example:5000/acme': { auth: 'eDp5' }, 'r.example:5000/acme/v1': LOGIN };
    const { config } = await login({ auths }, 'r.example:5000/acme/v1:1');
    expect(config.auths['r.example:5000']).toEqual(LOGIN);
  });

  it('with a byte-order mark inside the password', async () => {
    const entry = { username: 'robot', password: 'a\uFEFFb' };
    const { secrets } = await login({ auths: { 'r.example:5000': entry } });
    expect(secrets).toEqual(['a\uFEFFb', base64('robot:a\uFEFFb')]);
  });

  it('by a helper that is in the image, under every name of the host', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'nvidia-aicr-helper-'));
    writeFileSync(join(folder, 'docker-credential-here'), '', { mode: 0o755 });
    vi.stubEnv('PATH', folder);
    try {
      const own = await login({ auths: { 'r.example:5000': {} }, credsStore: 'here' });
      expect(own).toEqual({
        config: { auths: {}, credHelpers: { 'r.example:5000': 'here' } },
        secrets: [],
      });
      const hub = await login({ credHelpers: { 'index.docker.io': 'here' } }, 'docker.io/acme/pack:1');
      expect(Object.keys(hub.config.credHelpers ?? {})).toEqual([
        'docker.io',
        'index.docker.io',
        'registry-1.docker.io',
        'https://index.docker.io/v1/',
      ]);
    } finally {
      vi.unstubAllEnvs();
      rmSync(folder, { recursive: true });
    }
  });
});

const CREATE = 'kubectl create secret docker-registry';
const wrong = { auths: { 'r.example:5000': { auth: base64('s3cret-token') } } };

describe('a refusal says all of it: what is wrong, and what helps', () => {
  it.each([
    [
      'no JSON',
      '[]',
      'Secret pull-secret is not a docker config: its .dockerconfigjson is not a JSON object',
      `Create it with \`${CREATE}\`; a config that is base64-encoded twice looks like this, too.`,
    ],
    [
      'no auths',
      {},
      'Secret pull-secret has no "auths", and so no credentials for r.example:5000',
      `Create the Secret with \`${CREATE}\`, or clear dataPackSecret where no login is needed.`,
    ],
    [
      'auths without entries',
      { auths: {} },
      'Secret pull-secret has no entry for r.example:5000 (its entries: none)',
      'Add r.example:5000 to the Secret, or clear dataPackSecret where no login is needed.',
    ],
    [
      'auths that are a list',
      { auths: ['r.example:5000'] },
      'Secret pull-secret has no entry for r.example:5000 (its entries: none)',
      'Add r.example:5000 to the Secret, or clear dataPackSecret where no login is needed.',
    ],
    [
      'an entry that is no object',
      { auths: { 'r.example:5000': 'robot:x' } },
      'Secret pull-secret has an entry for r.example:5000 with an empty user name or password',
      `Create the Secret again with both: \`${CREATE}\`.`,
    ],
    [
      'a helper',
      { credHelpers: { 'https://R.example:5000': 'ecr-login' }, credsStore: 'desktop' },
      "Secret pull-secret leaves r.example:5000 to the credential helper docker-credential-ecr-login, which is not in the installer's image",
      'Put user name and password (or a token) into the Secret instead of a helper.',
    ],
    [
      'an auth without a colon',
      wrong,
      'Secret pull-secret: the entry r.example:5000 has an "auth" that is not base64 of user:password',
      `Create the Secret again with \`${CREATE}\`.`,
    ],
  ])('%s', async (_, config, message, hint) => {
    expect(await refusal(config)).toMatchObject({ message, hint });
  });

  it.each([
    ['a helper for another host', { auths: {}, credHelpers: { 'other.example': 'ecr-login' } }],
    ['a helper without a name', { auths: {}, credsStore: '' }],
    ['a helper whose name is no text', { auths: {}, credsStore: 7 }],
    ['helpers that are no object', { auths: {}, credHelpers: 'r.example:5000' }],
  ])('%s counts as none', async (_, config) => {
    expect((await refusal(config)).message).toContain('no entry for r.example:5000');
  });
});

describe('a Secret is refused', () => {
  it('that is not JSON, without showing it', async () => {
    const error = await refusal('user: robot\npassword: s3cret-token');
    expect(error.message).toContain('not a JSON object');
    expect(`${error.message}${error.hint}${String(error.cause)}`).not.toContain('s3cret');
  });

  it.each(['[]', '"text"', 'null', '7', ''])('that is %j', async (text) => {
    expect((await refusal(text)).message).toContain('not a JSON object');
  });

  it('without auths', async () => {
    expect((await refusal({})).message).toContain('no "auths"');
  });

  it('without an entry for the host, naming those it has', async () => {
    const { message, hint } = await refusal({ auths: { 'ghcr.io': LOGIN, 'r.example': LOGIN } });
    expect(message).toContain('no entry for r.example:5000');
    expect(message).toContain('ghcr.io, r.example');
    expect(hint).toContain('dataPackSecret');
  });

  it('with an entry whose key has a login in it, which is not shown', async () => {
    const { message } = await refusal({
      auths: { 'https://robot:s3cret@other.example/v1/': LOGIN, 'a:s3\ncret@b.example': LOGIN },
    });
    expect(message).toContain('(its entries: other.example, b.example)');
    const empty = await refusal({ auths: { 'https://r.example:5000/v1/?token=s3cret': {} } });
    expect(`${message}${empty.message}`).not.toContain('s3cret');
  });

  it('with an entry whose key only has the host or the path somewhere, or is no host', async () => {
    for (const key of ['xhttps://r.example:5000', 'r.example:5000/https://acme', 'undefined']) {
      expect((await refusal({ auths: { [key]: LOGIN } })).message).toContain('no entry for');
    }
  });

  it('with an entry for another path of the host', async () => {
    expect((await refusal({ auths: { 'r.example:5000/other': LOGIN } })).message).toContain('no entry for');
  });

  it.each([
    ['a helper for the host', { credHelpers: { 'r.example:5000': 'ecr-login' } }],
    ['a helper for all', { credsStore: 'ecr-login' }],
    ['a helper and a stub', { credsStore: 'ecr-login', auths: { 'r.example:5000': {} } }],
  ])('that leaves it to %s that is not here', async (_, config) => {
    expect((await refusal(config)).message).toContain('docker-credential-ecr-login');
  });

  it.each([
    ['an empty entry', {}],
    ['an empty password', { username: 'robot', password: '\n' }],
    ['an empty user name', { auth: base64(':s3cret-token') }],
    ['a password alone', { password: 's3cret-token' }],
    ['a user name alone', { username: 'robot' }],
  ])('with %s', async (_, entry) => {
    expect((await refusal({ auths: { 'r.example:5000': entry } })).message).toContain(
      'empty user name or password',
    );
  });

  it('whose auth is not user:password, without showing it', async () => {
    const error = await refusal({ auths: { 'r.example:5000': { auth: base64('s3cret-token') } } });
    expect(error.message).toContain('not base64 of user:password');
    expect(error.message).not.toContain('s3cret');
  });
});
