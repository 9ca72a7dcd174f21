import { describe, expect, inject } from 'vitest';
import { type Front, type Refused, startFront } from '../../test/publish/front.ts';
import { dockerConfig } from '../cluster/index.ts';
import { expectFailure } from './failure.ts';
import { ALL_WELL, EVIDENCE, expectKept, publishing, Reader } from './proof.ts';
import { type Scenario, test } from './scenario.ts';
import { stepStates } from './status.ts';

const PUSH_SECRET = 'aicr-evidence-push';

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
