import { describe, expect, it } from 'vitest';
import { base64, LOGIN, refusal } from './logins.ts';

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

  it('without an entry for what may be no host, naming the one it may be', async () => {
    const { message, hint } = await refusal({ auths: { 'docker.io': LOGIN } }, 'acme/pack:1');
    expect(message).toContain('no entry for acme (its entries: docker.io)');
    expect(hint).toMatch(/^Add acme to the Secret, .* write docker\.io\/acme\/pack\.$/);
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
