import { describe, expect, inject } from 'vitest';
import { type Front, type Refused, startFront } from '../../test/publish/front.ts';
import { dockerConfig } from '../cluster/index.ts';
import { expectFailure } from './failure.ts';
import { ALL_WELL, EVIDENCE, expectKept, keysOf, Reader } from './proof.ts';
import { PACK_SECRET, type Scenario, test } from './scenario.ts';
import { stepStates } from './status.ts';

const PUSH_SECRET = 'aicr-evidence-push';

/** Values of a run that validates, installs nothing, and publishes as told. */
const publishing = (values: object, publish: object): object => ({
  ...values,
  deploy: { enabled: false },
  validate: { enabled: true, emitEvidence: true, publish: { enabled: true, mode: 'unsigned', ...publish } },
});

/** A registry that takes layers and refuses manifests, where pods reach it. */
async function refusing({ cluster }: Scenario, answer: Refused): Promise<Front> {
  return await startFront(cluster.openRegistry.host, answer, Number.POSITIVE_INFINITY, cluster.address);
}

/** Where and how the evidence goes, and what the status says of it. */
interface Refusal {
  readonly what: string;
  /** Of the registry behind a front; without it the registry is the private one, with a wrong password. */
  readonly answer?: Refused;
  readonly tag?: string;
  readonly says: RegExp;
  readonly hint: RegExp;
}

const REFUSALS: readonly Refusal[] = [
  {
    what: 'refuses the credentials (401)',
    says: /^publishing failed: unauthorized: \S+ refused the credentials of Secret aicr-evidence-push/,
    hint: /Secret aicr-evidence-push/,
  },
  {
    what: 'forbids writing (403)',
    answer: { status: 403, code: 'DENIED', message: 'requested access to the resource is denied' },
    says: /^publishing failed: forbidden: \S+ does not let an anonymous push write/,
    hint: /validate\.publish\.registrySecret/,
  },
  {
    what: 'does not let a tag be overwritten (409)',
    answer: { status: 409, code: 'TAG_INVALID', message: 'the tag exists' },
    tag: ':accepted',
    says: /^publishing failed: \S+ refuses to overwrite the tag/,
    hint: /Leave the tag out of validate\.publish\.ref/,
  },
];

/** A JSON Web Token that ends at a time. @param end in seconds since 1970 */
const jwt = (end: number): string =>
  [{ alg: 'RS256' }, { exp: end }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
    .concat('.c2lnbmF0dXJl');

// How a check ends is the data pack's to say with the stand-in only: a real aicr starts its image.
describe.skipIf(!inject('prepared').aicr.standIn)('a run that publishes to a registry which', () => {
  test.for(REFUSALS)(
    '$what keeps verdict and evidence, and fails only with failOnError',
    async ({ answer, tag = '', says, hint }, { scenario, onTestFinished }) => {
      const { cluster, namespace } = scenario;
      const { values } = await scenario.pack('acme', ALL_WELL);
      await scenario.packSecret();
      await namespace.registrySecret(PUSH_SECRET, dockerConfig(cluster.registry, 'not-the-password'));
      let publish: object = { ref: `${cluster.registry.host}/e/private`, registrySecret: PUSH_SECRET };
      if (answer !== undefined) {
        const front = await refusing(scenario, answer);
        onTestFinished(() => front.stop());
        publish = { ref: `${front.host}/e/refused${tag}` };
      }
      const release = scenario.release();
      await release.install(publishing(values, { ...publish, plainHTTP: true }));
      const job = await release.job();
      expect(await job.ended(), await job.story()).toBe('Complete');
      const lenient = await release.status();
      expect(lenient.phase).toBe('SucceededWithFailures');
      expect(lenient.message).toMatch(says);
      expect(lenient.warnings.join('\n')).toMatch(hint);
      await expectKept(scenario);

      await namespace.kubectl(['delete', 'configmap', EVIDENCE]);
      await release.upgrade(publishing(values, { ...publish, plainHTTP: true, failOnError: true }));
      const strict = await expectFailure(release, 'PublishFailed');
      expect(strict.message).toMatch(says);
      expect(strict.hint).toMatch(hint);
      expect(strict.validation.outcome).toBe('Passed');
      expect(stepStates(strict).slice(-3)).toEqual([
        'validate Succeeded',
        'evidence Succeeded',
        'publish Failed',
      ]);
      await expectKept(scenario);
      expect(await (await release.job()).log()).not.toContain('not-the-password');
    },
  );

  // With failOnError the wait is the same, and the end that of the others.
  test('is down is asked again for a while; the install is none the worse for it', async ({ scenario }) => {
    const { values } = await scenario.pack('acme', ALL_WELL);
    await scenario.packSecret();
    const release = scenario.release();
    const ref = `${scenario.cluster.address}:9/e/nobody`;
    await release.install({
      ...publishing(values, { ref, plainHTTP: true }),
      deploy: { enabled: true },
    });
    const job = await release.job();
    expect(await job.ended(8), await job.story()).toBe('Complete');
    const status = await release.status();
    expect(status).toMatchObject({
      phase: 'SucceededWithFailures',
      components: [{ state: 'Installed' }, { state: 'Installed' }],
    });
    expect(status.message).toMatch(/publishing failed: \S+:9 cannot be reached/);
    expect(status.steps.at(-1)?.attempts).toBeGreaterThan(1);
    await expectKept(scenario);
  });

  test('has a certificate that nobody trusts gets it with insecureTLS', async ({ scenario }) => {
    const { cluster, namespace, word } = scenario;
    const registry = await cluster.startRegistry({ name: word, login: true, tls: true });
    const { values } = await scenario.pack('acme', ALL_WELL);
    await scenario.packSecret();
    await namespace.registrySecret(PUSH_SECRET, dockerConfig(registry));
    const publish = { ref: `${registry.host}/e/tls:1`, registrySecret: PUSH_SECRET };
    const release = scenario.release();
    await release.install(publishing(values, { ...publish, insecureTLS: true }));
    const job = await release.job();
    expect(await job.ended(), await job.story()).toBe('Complete');
    const { phase, evidence } = await release.status();
    expect(phase).toBe('Succeeded');
    await Reader.use(scenario, async (reader) => {
      expect(await reader.oras(registry, 'resolve', publish.ref)).toBe(evidence.digest);
    });
  });
});

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
