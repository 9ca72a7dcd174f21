import { expect, test } from 'vitest';
import { createMask } from '../../src/runner/mask.ts';

const withSecret = (...secrets: string[]): ((text: string) => string) => {
  const mask = createMask();
  for (const secret of secrets) {
    mask.add(secret);
  }
  return mask.apply;
};

test('a secret is hidden plain, quoted as JSON and in URLs', () => {
  const secret = 'pa"ss/wörd';
  const apply = withSecret(secret);
  for (const spelling of [secret, JSON.stringify(secret), encodeURIComponent(secret)]) {
    expect(apply(`<${spelling}>`).replaceAll('"', '')).toBe('<***>');
  }
});

test.each(['', 'u', 'us', 'user', 'robot$acme+puller'])(
  'a secret is hidden inside base64, whatever stands before it: %j',
  (user) => {
    const secret = 'correct horse battery';
    const encoded = Buffer.from(`${user}:${secret}`).toString('base64');
    const shown = withSecret(secret)(encoded);
    expect(shown).toContain('***');
    // What is left must not give away more than the byte at each edge.
    const left = shown.split('***').map((part) => Buffer.from(part, 'base64').toString('latin1'));
    expect(left.join('')).not.toContain(secret.slice(2, 6));
    expect(left.join('')).not.toContain(secret.slice(-6, -2));
  },
);

test('each line of a secret with several lines is secret', () => {
  expect(withSecret('first line\nsecond line\n')('x second line y')).toBe('x *** y');
});

test('of two secrets, one within the other, nothing is left', () => {
  expect(withSecret('token', 'token-and-more')('token-and-more token')).toBe('*** ***');
});

test('a secret of few characters would hide half the log and is not taken', () => {
  expect(withSecret('on', '  \n')('on and on')).toBe('on and on');
});

test.each([
  ['{"auth": "dXNlcjpwYXNz"}', '{"auth": "***"}'],
  ['{"password":"p\\"w"}', '{"password":"***"}'],
  ['"{\\"auth\\":\\"dXNlcjpwYXNz\\"}"', '"{\\"auth\\":\\"***\\"}"'],
  ['Authorization: Basic dXNlcjpwYXNz', 'Authorization: Basic ***'],
  ['authorization=Bearer abc', 'authorization=Bearer ***'],
  ['sent bearer abcdefghijklmnop==', 'sent bearer ***'],
  [`jwt eyJ${'a'.repeat(20)}.eyJ${'b'.repeat(20)}.c-_c end`, 'jwt *** end'],
  ['GET https://user:pa:ss@host/path', 'GET https://***@host/path'],
  ['oci://user:pass@host:5000/x', 'oci://***@host:5000/x'],
])('without being told, %s is shown as %s', (text, shown) => {
  expect(createMask().apply(text)).toBe(shown);
});

test.each([
  'https://host:5000/path?a=b@c',
  'author: somebody',
  'the bearer of this',
  'error parsing criteria: invalid service type: acme',
  'ghcr.io/acme/pack@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
])('ordinary text stays: %s', (text) => {
  expect(createMask().apply(text)).toBe(text);
});
