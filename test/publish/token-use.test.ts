import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { inspectToken } from '../../src/runner/steps/publish/index.ts';
import { MemoryCluster } from '../steps/memory-cluster.ts';
import { Publishing, type PublishWish, TARGET } from './publishing.ts';

let cluster: MemoryCluster;
beforeEach(() => {
  cluster = new MemoryCluster();
});
const p = new Publishing(() => cluster);

describe('the identity token', () => {
  const jwt = (exp: number): string =>
    `${['{"alg":"RS256"}', JSON.stringify({ exp })].map((part) => Buffer.from(part).toString('base64url')).join('.')}.c2ln`;
  const fresh = jwt(Date.now() / 1000 + 600);
  const signed: Partial<PublishWish> = {
    mode: 'signed',
    identityToken: { secret: 'cosign-token', key: 'token' },
  };

  /** Publishes with a program that writes its environment down instead of aicr. */
  async function environmentOf(wish: Partial<PublishWish>): Promise<Record<string, string>> {
    const file = join(p.work, 'environment');
    await p.publish(p.planWith(`env -0 > ${file}; exit 1`, wish));
    const lines = readFileSync(file, 'utf8')
      .split('\0')
      .filter((line) => line !== '');
    return Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
  }

  it('reaches the one child that signs with it, without its line end', async () => {
    p.land('identity-token', 'token', `${fresh}\n`);
    expect((await environmentOf(signed))['COSIGN_IDENTITY_TOKEN']).toBe(fresh);
    expect(process.env['COSIGN_IDENTITY_TOKEN']).toBeUndefined();
  });

  it('is absent, not empty, when nothing is to be signed', async () => {
    process.env['COSIGN_IDENTITY_TOKEN'] = 'from extraEnvFrom';
    try {
      const environment = await environmentOf({});
      expect('COSIGN_IDENTITY_TOKEN' in environment).toBe(false);
      expect(environment['DOCKER_CONFIG']).toBe(join(p.work, 'publish-auth'));
    } finally {
      delete process.env['COSIGN_IDENTITY_TOKEN'];
    }
  });

  it('is read again when it is used', async () => {
    p.land('identity-token', 'token', jwt(1));
    const { identityToken } = p.plan('127.0.0.1:9/acme/e', signed);
    if (identityToken === null) throw new Error('nothing is signed');
    expect(await inspectToken(identityToken, p.test.context)).toMatchObject({ fatal: true });
    p.land('identity-token', 'token', fresh);
    expect((await environmentOf(signed))['COSIGN_IDENTITY_TOKEN']).toBe(fresh);
  });

  it.each([
    ['has expired', jwt(1_700_000_000), /expired at 2023-11-14T22:13:20\.000Z/],
    ['is empty', '\n', /is empty/],
    ['is no token', 'two words', /is no token/],
  ])('that %s is a failure before anything is pushed', async (_, token, message) => {
    p.land('identity-token', 'token', token);
    const outcome = await p.keepAndPublish('127.0.0.1:9/acme/e', signed);
    expect(outcome).toMatchObject({ message: expect.stringMatching(message), failures: ['publishing'] });
    expect(p.test.recorded.retries).toEqual([]);
    expect(cluster.keys(TARGET.configMap)).toEqual(['evidence.tgz']);
  });

  it('under another key is a failure that names the keys', async () => {
    p.land('identity-token', 'jwt', fresh);
    expect((await p.keepAndPublish(`${p.registries.open.host}/acme/e`, signed)).message).toContain(
      'has no key token (its keys: jwt)',
    );
  });

  it('takes the evidence as far as the signing call, and the message says that it is pushed', async () => {
    p.land('identity-token', 'token', `${fresh}\n`);
    const outcome = await p.keepAndPublish(`${p.registries.open.host}/acme/signed`, signed);
    expect(outcome.message).toMatch(
      /the evidence was pushed as \S+\/acme\/signed:\S+@sha256:[0-9a-f]{64}, but it could not be signed/,
    );
    expect(cluster.keys(TARGET.configMap)).toEqual(['evidence.tgz']);
    expect(JSON.stringify(p.test.recorded)).not.toContain(fresh);
  });
});
