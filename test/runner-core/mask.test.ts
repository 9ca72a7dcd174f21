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

test('a secret is hidden as Go writes it, in JSON and in URLs', () => {
  const apply = withSecret('Pa&ss <1>!*');
  // What json.Marshal and url.QueryEscape make of it.
  for (const spelling of [
    String.raw`Pa\u0026ss \u003c1\u003e!*`,
    'Pa%26ss+%3C1%3E%21%2A',
    'Pa%26ss%20%3C1%3E%21%2A',
  ]) {
    expect(apply(`<${spelling}>`)).toBe('<***>');
  }
});

test.each(
  ['', 'u', 'us', 'user', 'robot$acme+puller'].flatMap((user) => ['', '!', '!!'].map((end) => [user, end])),
)('a secret is hidden inside base64, whatever stands around it: %j and %j', (user, end) => {
  const secret = 'correct horse battery';
  const [before, whole] = [`${user}:`, `${user}:${secret}${end}`];
  const encoded = Buffer.from(whole).toString('base64');
  // Six bits a character: what has a bit of something else in it may stay, and nothing more.
  const from = Math.ceil((before.length * 8) / 6);
  const to = Math.floor(((before.length + secret.length) * 8) / 6);
  expect(withSecret(secret)(encoded)).toBe(`${encoded.slice(0, from)}***${encoded.slice(to)}`);
});

test('a secret is hidden in base64 for URLs, too', () => {
  expect(Buffer.from('>>>???').toString('base64')).toBe('Pj4+Pz8/');
  expect(withSecret('>>>???')('Pj4+Pz8/ Pj4-Pz8_')).toBe('*** ***');
});

test('a secret is hidden in base64 within base64, as a docker config in a Secret has it', () => {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const apply = withSecret('correct horse battery');
  for (const around of ['', 'x', 'xy']) {
    const shown = apply(base64(`${around}"auth":"${base64('robot:correct horse battery')}"`));
    expect(shown).toMatch(/\*\*\*/);
    expect(Buffer.from(shown.replace(/.*\*\*\*/, ''), 'base64').length).toBeLessThan(8);
    const left = Buffer.from(shown.replace(/\*\*\*.*/, ''), 'base64')
      .toString()
      .replace(/.*"/, '');
    expect(Buffer.from(left, 'base64').toString().length).toBeLessThan('robot:cor'.length);
  }
});

test('a secret is hidden within a longer text of JSON', () => {
  expect(withSecret('pa"ss')(JSON.stringify({ said: 'wrong pa"ss, try again' }))).toBe(
    '{"said":"wrong ***, try again"}',
  );
});

test('a secret of five bytes would be found in base64 by chance', () => {
  expect(withSecret('abcdef')('YWJjZGVm')).toBe('***');
  expect(withSecret('abcde')('YWJjZGU= abcde')).toBe('YWJjZGU= ***');
});

test('a secret is taken as it is, whatever its characters mean elsewhere', () => {
  const secret = 'a.*+?^$(){}|[]\\/-b';
  expect(withSecret(secret)(`<${secret}>`)).toBe('<***>');
  expect(withSecret('a.cd')('abcd a.cd')).toBe('abcd ***');
});

test('a secret is hidden without the blanks and line ends around it', () => {
  expect(withSecret('  spaced out \r\n')('<spaced out>')).toBe('<***>');
  expect(withSecret('one one\r\ntwo two')('one one, two two')).toBe('***, ***');
});

test('each line of a secret with several lines is secret', () => {
  expect(withSecret('first line\nsecond line\n')('x second line y')).toBe('x *** y');
});

test('of two secrets, one within the other, nothing is left', () => {
  expect(withSecret('token', 'token-and-more')('token-and-more token')).toBe('*** ***');
  expect(withSecret('token-and-more', 'token')('token-and-more token')).toBe('*** ***');
});

test('a secret of few characters would hide half the log and is not taken', () => {
  expect(withSecret('on', '  \n', 'and')('on and on')).toBe('on and on');
  expect(withSecret('four')('four')).toBe('***');
  expect(withSecret()('null and undefined')).toBe('null and undefined');
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
  ['in one line', 0],
  ['as docker indents it', '\t'],
  ['as kubectl indents it', 4],
  ['as many others indent it', 2],
])('the docker config of a Secret is hidden without being told, in base64 %s', (_, indent) => {
  const auths = {
    'r.example': { username: 'robot', password: 'correct horse', auth: 'cm9ib3Q6Y29ycmVjdCBob3JzZQ==' },
  };
  const data = Buffer.from(JSON.stringify({ auths }, null, indent)).toString('base64');
  expect(createMask().apply(`  .dockerconfigjson: ${data}`)).toBe('  .dockerconfigjson: ***');
});

test.each([
  'https://host:5000/path?a=b@c',
  'author: somebody',
  'two ewogICJ eyJhdXRocyI6',
  'the bearer of this',
  'error parsing criteria: invalid service type: acme',
  'ghcr.io/acme/pack@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
])('ordinary text stays: %s', (text) => {
  expect(createMask().apply(text)).toBe(text);
});
