import { describe, expect, inject } from 'vitest';
import { expectFailure } from './failure.ts';
import { ALL_WELL, EVIDENCE, expectKept, keysOf, publishing, Reader } from './proof.ts';
import { PACK_SECRET, type Scenario, test } from './scenario.ts';

/** A JSON Web Token that ends at a time. @param end in seconds since 1970 */
const jwt = (end: number): string =>
  [{ alg: 'RS256' }, { exp: end }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
    .concat('.c2lnbmF0dXJl');

// How a check ends is the data pack's to say with the stand-in only: a real aicr starts its image.
describe.skipIf(!inject('prepared').aicr.standIn)('a run that signs', () => {
  /** @param secret that holds the identity token */
  const signing = (scenario: Scenario, values: object, secret: string, failOnError: boolean): object => {
    const ref = `${scenario.cluster.registry.host}/${scenario.word}/signed:1`;
    const identityTokenSecret = { name: secret };
    const push = { ref, registrySecret: PACK_SECRET, plainHTTP: true, failOnError };
    return publishing(values, { ...push, mode: 'signed', identityTokenSecret });
  };

  test('hands its token to the signing call, shows it nowhere, and begins nothing with an expired one', async ({
    scenario,
  }) => {
    const { cluster, namespace, word } = scenario;
    const tokens = { fresh: jwt(Math.floor(Date.now() / 1000) + 86_400), expired: jwt(1_700_000_000) };
    for (const [name, token] of Object.entries(tokens)) {
      await namespace.apply({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name },
        stringData: { token },
      });
    }
    const { values } = await scenario.pack('acme', ALL_WELL);
    await scenario.packSecret();
    const release = scenario.release();
    await release.install(signing(scenario, values, 'fresh', false));
    const job = await release.job();
    expect(await job.ended(), await job.story()).toBe('Complete');
    const status = await release.status();
    expect(status).toMatchObject({ phase: 'SucceededWithFailures', validation: { outcome: 'Passed' } });
    // Without a token the stand-in ends with a login that failed, with one at Sigstore, whose way is shut.
    expect(status.message).toMatch(
      /^publishing failed: the evidence was pushed as \S+@sha256:\S+, but it could not be signed .*TUF/,
    );
    expect(status.warnings.join('\n')).toContain('aicr evidence sign');
    await expectKept(scenario);
    await Reader.use(scenario, async (reader) => {
      const digest = await reader.oras(
        cluster.registry,
        'resolve',
        `${cluster.registry.host}/${word}/signed:1`,
      );
      expect(status.message).toContain(digest);
    });
    const told = [await job.log(), await job.describe(), await job.events(), await job.termination()];
    const shown = JSON.stringify([...told, await namespace.list('configmaps')]);
    expect(shown).not.toContain(tokens.fresh);
    expect(shown).not.toContain('c2lnbmF0dXJl');

    await release.upgrade(signing(scenario, values, 'expired', true));
    const refused = await expectFailure(release, 'IdentityTokenExpired');
    expect(refused.message).toContain('Secret expired (validate.publish.identityTokenSecret)');
    expect(refused.message).toContain('expired at 2023-11-14T22:13:20.000Z');
    expect(new Set(refused.steps.map(({ state }) => state))).toEqual(new Set(['Pending']));
    expect(JSON.stringify(await namespace.list('configmaps'))).not.toContain(tokens.expired);
    // What the run before it has left is still there.
    expect(await keysOf(scenario, EVIDENCE)).toEqual(['evidence.tgz']);
  });
});
