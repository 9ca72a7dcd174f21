import { describe, expect, inject } from 'vitest';
import { parse } from 'yaml';
import { expectFailure } from './failure.ts';
import { ALL_WELL, EVIDENCE, expectKept, keysOf, NOT_WELL, Reader, VERDICT } from './proof.ts';
import { type ListedRelease, listReleases } from './release.ts';
import { PACK_SECRET, type Scenario, test } from './scenario.ts';
import { INSTALL_STEPS, stepStates } from './status.ts';

const succeeded = (...names: string[]): string[] => names.map((name) => `${name} Succeeded`);

/** The Helm releases of the demo pack's components, with their revisions and times. */
async function components({ cluster, word }: Scenario): Promise<readonly ListedRelease[]> {
  const listed = await Promise.all(
    ['agent', 'probe'].map((name) => listReleases(cluster, `${word}-${name}`)),
  );
  return listed.flat();
}

// How a check ends is the data pack's to say with the stand-in only: a real aicr starts its image.
describe.skipIf(!inject('prepared').aicr.standIn)('a run that proves what it installed', () => {
  test('publishes evidence that readers find as documented, and later only asserts', async ({ scenario }) => {
    const { cluster, namespace, word } = scenario;
    const { values } = await scenario.pack('acme', ALL_WELL);
    await scenario.packSecret();
    const release = scenario.release();
    const ref = `${cluster.registry.host}/${word}/evidence`;
    const publish = { enabled: true, mode: 'unsigned', ref, registrySecret: PACK_SECRET, plainHTTP: true };
    const waiting = { ...values, deployFlags: '', deployArgs: ['--retries', '1'] };
    await release.install({ ...waiting, validate: { enabled: true, emitEvidence: true, publish } });
    const job = await release.job();
    expect(await job.ended(), await job.story()).toBe('Complete');
    const status = await release.status();
    expect(stepStates(status)).toEqual(succeeded(...INSTALL_STEPS, 'validate', 'evidence', 'publish'));
    expect(status).toMatchObject({
      phase: 'Succeeded',
      validation: { outcome: 'Passed', exitCode: 0, tests: 4, passed: 4 },
    });

    await Reader.use(scenario, async (reader) => {
      expect(JSON.parse(await reader.follow('validation.md', 'jq .results.summary'))).toMatchObject({
        tests: 4,
        passed: 4,
        failed: 0,
      });
      await reader.follow('evidence.md', 'tar xzf');
      expect(await reader.follow('evidence.md', 'evidence verify')).toContain('bundle valid');
      await reader.follow('evidence.md', 'pointer\\.yaml');
      const [{ bundle }] = parse(await reader.shell('cat pointer.yaml')).attestations;
      expect(status.evidence).toMatchObject({ oci: bundle.oci, digest: bundle.digest });
      const [sum] = (await reader.shell('sha256sum evidence.tgz')).split(' ');
      expect(status.evidence.sha256).toBe(`sha256:${sum}`);
      // The artifact is the one that the pointer names, and comes back as what the ConfigMap holds.
      expect(await reader.oras(cluster.registry, 'resolve', bundle.oci)).toBe(bundle.digest);
      await reader.oras(cluster.registry, 'pull', `${ref}@${bundle.digest}`, '--output', 'pulled');
      await reader.shell('diff -r pulled evidence/summary-bundle');
    });
    const { user, password } = cluster.registry.login;
    const told = [await job.log(), await namespace.list('configmaps'), await job.describe()];
    expect(JSON.stringify(told)).not.toContain(password);
    expect(JSON.stringify(told)).not.toContain(Buffer.from(`${user}:${password}`).toString('base64'));

    // Somebody puts marks of their own on the results; the next run touches neither these nor the components.
    for (const name of [VERDICT, EVIDENCE]) {
      await namespace.kubectl(['label', 'configmap', name, 'acme.example/owner=ada']);
      await namespace.kubectl(['annotate', 'configmap', name, 'acme.example/note=accepted']);
    }
    const before = await components(scenario);
    expect(before.map(({ revision }) => revision)).toEqual(['1', '1']);
    const verdict = await namespace.configMap(VERDICT);
    await release.upgrade({
      ...values,
      deploy: { enabled: false },
      validate: { enabled: true, emitEvidence: true },
    });
    const asserting = await release.job();
    expect(await asserting.ended(), await asserting.story()).toBe('Complete');
    const asserted = await release.status();
    expect(stepStates(asserted)).toEqual(succeeded('download', 'pack', 'recipe', 'validate', 'evidence'));
    expect(asserted).toMatchObject({ phase: 'Succeeded', components: [], evidence: { oci: '' } });
    expect(await components(scenario)).toEqual(before);
    for (const name of [VERDICT, EVIDENCE]) {
      expect((await namespace.configMap(name))?.metadata).toMatchObject({
        labels: {
          'nvidia-aicr/written-by': 'run',
          'nvidia-aicr/release': release.name,
          'acme.example/owner': 'ada',
        },
        annotations: { 'acme.example/note': 'accepted' },
      });
    }
    expect((await namespace.configMap(VERDICT))?.data).not.toEqual(verdict?.data);
    // This run's evidence was not published: the earlier pointer is not its.
    expect(await keysOf(scenario, EVIDENCE)).toEqual(['evidence.tgz']);
  });

  test('with a verdict that is bad keeps it, and fails only with failOnError', async ({ scenario }) => {
    const { values } = await scenario.pack('acme', NOT_WELL);
    await scenario.packSecret();
    const release = scenario.release();
    const validate = { enabled: true, emitEvidence: true };
    await release.install({ ...values, deploy: { enabled: false }, validate });
    const job = await release.job();
    expect(await job.ended(), await job.story()).toBe('Complete');
    const bad = { outcome: 'Failed', tests: 4, passed: 2, failed: 1, other: 1 };
    expect(await release.status()).toMatchObject({
      phase: 'SucceededWithFailures',
      validation: { ...bad, exitCode: 8 },
    });
    const { exitCode, message } = await job.termination();
    expect(exitCode).toBe(0);
    expect(message).toMatch(/^SucceededWithFailures: validation: Failed: 4 checks: 1 failed \(expected-res/);
    await expectKept(scenario);

    // What the run goes by are the report's counts: aicr itself is told to be content.
    await scenario.namespace.kubectl(['delete', 'configmap', VERDICT, EVIDENCE]);
    await release.upgrade({
      ...values,
      deploy: { enabled: false },
      validate: { ...validate, failOnError: true },
      validateArgs: ['--fail-on-error=false'],
    });
    const status = await expectFailure(release, 'ValidationFailed');
    expect(status.validation).toMatchObject({ ...bad, exitCode: 0 });
    expect(stepStates(status).slice(-2)).toEqual(['validate Failed', 'evidence Succeeded']);
    await expectKept(scenario);
    const summary = (await scenario.namespace.configMap(VERDICT))?.data?.['summary.txt'];
    expect(summary).toContain('expected-resources (deployment)');
  });
});
