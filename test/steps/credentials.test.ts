import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { base64, LOGIN, login } from './logins.ts';

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
