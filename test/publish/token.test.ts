import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createMask } from '../../src/runner/mask.ts';
import { createClock } from '../../src/runner/ports/system-clock.ts';
import { inspectToken } from '../../src/runner/steps/publish/index.ts';
import { temporaryFolder } from '../steps/context.ts';

const NOW = new Date('2026-11-30T12:00:00Z');
const DEADLINE = new Date('2026-11-30T15:00:00Z');
const clock = { ...createClock(), now: () => NOW };

let dir: string;
beforeEach(() => {
  dir = join(temporaryFolder(), 'token');
});

/** A JSON Web Token with these claims. */
const jwt = (claims: unknown): string =>
  [{ alg: 'RS256' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
    .concat('.c2ln');
const at = (time: string) => jwt({ exp: Date.parse(time) / 1000 });

/** A Secret as the kubelet mounts it. */
function mount(keys: Record<string, string>): void {
  mkdirSync(join(dir, '..2026_11_30'), { recursive: true });
  symlinkSync('..2026_11_30', join(dir, '..data'));
  for (const [key, value] of Object.entries(keys)) {
    writeFileSync(join(dir, '..2026_11_30', key), value);
    symlinkSync(join('..data', key), join(dir, key));
  }
}

const inspect = (deadline: Date | null = DEADLINE, mask = createMask()) => {
  const secret = {
    name: 'cosign-token',
    namespace: 'gpu',
    key: 'token',
    dir,
    value: 'validate.publish.identityTokenSecret',
  };
  return inspectToken(secret, { deadline, clock, mask: mask.add });
};

describe('an identity token, looked at when the run starts', () => {
  it.each([
    ['lives longer than the run', at('2026-11-30T15:00:01Z')],
    ['does not say when it ends', jwt({ sub: 'me' })],
    ['says so in no way that can be read', jwt({ exp: 'tomorrow' })],
    ['is no JWT', 'opaque-token'],
    ['is one with a payload that is no JSON', 'a.b.c'],
    ['ends in a line end', `${at('2026-12-01T00:00:00Z')}\r\n`],
  ])('that %s is fine', async (_, token) => {
    mount({ token });
    expect(await inspect()).toEqual({ warning: '', fatal: false });
  });

  it.each([
    ['expired', at('2026-11-30T11:59:59Z'), 'expired at 2026-11-30T11:59:59.000Z', true],
    ['ends this very second', at('2026-11-30T12:00:00Z'), 'expired', true],
    [
      'ends before the deadline',
      at('2026-11-30T13:00:00Z'),
      'expires at 2026-11-30T13:00:00.000Z, before',
      false,
    ],
    ['is empty', '', 'is empty', false],
    ['is a line end', '\n', 'is empty', false],
    ['is two lines', 'a\nb', 'blanks or control characters', false],
  ])('that %s is warned of', async (_, token, warning, fatal) => {
    mount({ token });
    expect(await inspect()).toEqual({ warning: expect.stringContaining(warning), fatal });
  });

  it('may end at any time in a run without a deadline', async () => {
    mount({ token: at('2026-11-30T13:00:00Z') });
    expect((await inspect(null)).warning).toBe('');
  });

  it('is waited for later when it has not landed', async () => {
    expect(await inspect()).toEqual({ warning: '', fatal: false });
    mount({});
    expect(await inspect()).toEqual({ warning: '', fatal: false });
  });

  it('under another key is said at once, with the keys there are', async () => {
    mount({ jwt: 'x', other: 'y' });
    expect((await inspect()).warning).toMatch(
      /^Secret cosign-token .* in namespace gpu has no key token \(its keys: jwt, other\)/,
    );
  });

  it('is masked from then on', async () => {
    const mask = createMask();
    const token = at('2026-11-30T11:00:00Z');
    mount({ token: `${token}\n` });
    const { warning } = await inspect(DEADLINE, mask);
    expect(mask.apply(`token ${token}`)).toBe('token ***');
    expect(warning).not.toContain(token);
  });
});
