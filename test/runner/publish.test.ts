/** Runs of the bundled program that publish what they proved, to real registries. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { type Front, startFront } from '../publish/front.ts';
import { REAL } from '../standin/program.ts';
import { temporaryFolder } from '../steps/context.ts';
import { orasPath } from '../steps/registries.ts';
import { ALL_WELL, type Checks, Prover, SNAPSHOT_FILE, unpackEvidence } from './proving.ts';
import { makeWorld, useProgram, type World } from './run.ts';

useProgram();
const prover = new Prover();

const BAD: Checks = { ...ALL_WELL, 'expected-resources': 'failed' };
const WANTED = { emitEvidence: true };

const fronts: Front[] = [];
afterEach(() => {
  for (const front of fronts.splice(0)) front.stop();
});

/** A registry that takes layers and refuses manifests. @returns where to publish */
async function refusing(): Promise<string> {
  const answer = { status: 403, code: 'DENIED', message: 'requested access to the resource is denied' };
  const front = await startFront(prover.registries.open.host, answer);
  fronts.push(front);
  return `${front.host}/acme/refused`;
}

interface Kept {
  readonly verdict: readonly string[];
  readonly evidence: readonly string[];
}

/** Keys of the ConfigMaps that the run has left. */
async function kept(world: World): Promise<Kept> {
  const keys = async (name: string): Promise<string[]> => {
    const { object, data = {} } = (await world.configMap(name)) ?? {};
    return [...Object.keys(data), ...Object.keys((object?.['binaryData'] ?? {}) as object)].sort();
  };
  return { verdict: await keys('aicr-validate-result'), evidence: await keys('aicr-evidence-bundle') };
}

const VERDICT = ['ctrf.json', 'summary.txt'];

/** A JSON Web Token that ends at a time. */
const jwt = (seconds: number): string =>
  [{ alg: 'RS256' }, { exp: seconds }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
    .concat('.c2lnbmF0dXJl');

// The real aicr starts a pod for each check, and here is nobody to run one.
describe.skipIf(REAL)('a run that publishes', () => {
  test('names an artifact by whose digest the bytes of the ConfigMap come back, also after a failed verdict', async () => {
    const { guarded } = prover.registries;
    const world = await makeWorld();
    const run = await prover.start(world, {
      checks: BAD,
      deploys: true,
      validate: WANTED,
      publishing: { enabled: true, ref: `${guarded.host}/acme/evidence`, registrySecret: 'push' },
      publish: prover.login(),
    });
    expect(await run.ended, run.output()).toEqual({ code: 0, signal: null });

    const status = await world.status();
    expect(status.phase).toBe('SucceededWithFailures');
    expect(status.message).toMatch(/^validation: Failed: 4 checks: 1 failed/);
    expect(status.steps.at(-1)).toMatchObject({ name: 'publish', state: 'Succeeded' });
    const found = await world.configMap('aicr-evidence-bundle');
    const { bundle } = parse(found?.data['pointer.yaml'] ?? '').attestations[0];
    expect(status.evidence).toMatchObject({ oci: bundle.oci, digest: bundle.digest });
    expect(status.steps.at(-1)?.message).toBe(`published as ${bundle.oci}@${bundle.digest}`);

    const folder = temporaryFolder();
    const login = join(folder, 'login.json');
    writeFileSync(login, prover.login()['.dockerconfigjson'] ?? '');
    const artifact = `${guarded.host}/acme/evidence@${bundle.digest}`;
    const pulled = ['pull', artifact, '--plain-http', '--registry-config', login, '--output', 'pulled'];
    await execa(orasPath(), pulled, { cwd: folder });
    const evidence = await unpackEvidence(world);
    await execa('diff', ['-r', 'pulled', join(evidence, 'summary-bundle')], { cwd: folder });

    const password = guarded.login?.password ?? '';
    const shown = JSON.stringify([run.output(), run.termination(), await world.configMap('aicr-status')]);
    expect(shown).not.toContain(password);
    expect(shown).not.toContain(Buffer.from(`${guarded.login?.user}:${password}`).toString('base64'));
  });

  test.each([
    [false, { code: 0 }],
    [true, { code: 71 }],
  ])('and is refused keeps verdict and evidence; failOnError %s', async (failOnError, end) => {
    const world = await makeWorld();
    const publishing = { enabled: true, ref: await refusing(), failOnError };
    const run = await prover.start(world, { validate: WANTED, publishing });
    expect(await run.ended, run.output()).toMatchObject(end);

    expect(await kept(world)).toEqual({ verdict: VERDICT, evidence: ['evidence.tgz'] });
    const status = await world.status();
    expect(status.message).toMatch(/^publishing failed: forbidden: \S+ does not let an anonymous push write/);
    expect(status.evidence).toMatchObject({ sha256: expect.stringMatching(/^sha256:/), oci: '' });
    if (failOnError) {
      expect(status).toMatchObject({ phase: 'Failed', reason: 'PublishFailed' });
      expect(status.steps.at(-1)).toMatchObject({ name: 'publish', state: 'Failed' });
      expect(run.termination()).toMatch(/^PublishFailed: publishing failed: forbidden/);
    } else {
      expect(status).toMatchObject({ phase: 'SucceededWithFailures', reason: '' });
      expect(run.termination()).toMatch(/^SucceededWithFailures: publishing failed: forbidden/);
      expect(status.warnings.join('\n')).toContain('validate.publish.registrySecret');
    }
  });

  test('after a verdict that fails the run says both, and keeps everything', async () => {
    const world = await makeWorld();
    const publishing = { enabled: true, ref: await refusing(), failOnError: true };
    const validate = { ...WANTED, failOnError: true };
    const run = await prover.start(world, { checks: BAD, validate, publishing });
    expect(await run.ended, run.output()).toMatchObject({ code: 70 });
    const { reason, message, hint } = await world.status();
    expect(reason).toBe('ValidationFailed');
    expect(message).toMatch(/^validation: Failed: .*; publishing failed: forbidden: /);
    expect(hint).toContain('validate.publish.registrySecret');
    expect(await kept(world)).toEqual({ verdict: VERDICT, evidence: ['evidence.tgz'] });
  });

  test.each([
    [
      'registry Secret',
      { registrySecret: 'push' },
      { publish: { 'config.json': '{}' } },
      'no key .dockerconfigjson',
    ],
    [
      'identity token’s Secret',
      { mode: 'signed' as const, identityToken: { secret: 'cosign', key: 'token' } },
      { identityToken: { jwt: 'x.y.z' } },
      'no key token (its keys: jwt)',
    ],
  ])(
    'with a wrong key in the %s is a failure to publish and nothing else',
    async (_, wish, mounted, words) => {
      const world = await makeWorld();
      const ref = `${prover.registries.open.host}/acme/e`;
      const publishing = { enabled: true, ref, ...wish };
      const run = await prover.start(world, { validate: WANTED, publishing, ...mounted });
      expect(await run.ended, run.output()).toMatchObject({ code: 0 });
      expect((await world.status()).message).toContain(words);
      expect(await kept(world)).toEqual({ verdict: VERDICT, evidence: ['evidence.tgz'] });
    },
  );
});

// No pod runs here, so no check of a real aicr ever starts: it says so of each, and all the rest is as in a cluster.
describe.runIf(REAL)('a run of a real aicr', () => {
  test('publishes what came to no conclusion, then fails for it', { timeout: 600_000 }, async () => {
    const world = await makeWorld();
    const server = { type: 'K8s', subtypes: [{ subtype: 'server', data: { version: 'v1.36.3' } }] };
    const snapshot = { apiVersion: 'aicr.run/v1alpha2', kind: 'Snapshot', measurements: [server] };
    const run = await prover.start(world, {
      // It refuses to validate a recipe that allocates no GPUs.
      overlay: (text) => text.replace(/^.*name: gpu-operator,.*\n/m, ''),
      snapshot: stringify(snapshot),
      validate: { ...WANTED, failOnError: true, args: ['--snapshot', SNAPSHOT_FILE] },
      publishing: { enabled: true, ref: `${prover.registries.open.host}/acme/evidence` },
    });
    expect(await run.ended, run.output()).toMatchObject({ code: 70 });
    const status = await world.status();
    expect(status).toMatchObject({
      reason: 'ValidationFailed',
      validation: { outcome: 'Inconclusive', exitCode: 8, failed: 0 },
      evidence: { digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) },
    });
    expect(await kept(world)).toEqual({ verdict: VERDICT, evidence: ['evidence.tgz', 'pointer.yaml'] });
    const verified = await prover.aicr.run(['evidence', 'verify', await unpackEvidence(world)]);
    expect(verified.exitCode, verified.stderr).toBe(0);
  });
});

describe('an identity token that has expired', () => {
  const signed = (failOnError: boolean) => ({
    enabled: true,
    mode: 'signed' as const,
    ref: '127.0.0.1:9/acme/e',
    identityToken: { secret: 'cosign', key: 'token' },
    failOnError,
  });
  const token = jwt(1_700_000_000);

  test('ends the run before anything is begun, when a publication that fails would fail it', async () => {
    const world = await makeWorld();
    const proving = { validate: WANTED, publishing: signed(true), identityToken: { token } };
    const run = await prover.start(world, proving);
    expect(await run.ended, run.output()).toMatchObject({ code: 72 });
    const status = await world.status();
    expect(status.reason).toBe('IdentityTokenExpired');
    expect(status.message).toContain('Secret cosign (validate.publish.identityTokenSecret)');
    expect(status.message).toContain('expired at 2023-11-14T22:13:20.000Z');
    expect(new Set(status.steps.map(({ state }) => state))).toEqual(new Set(['Pending']));
    expect(await world.configMap('aicr-recipe')).toBeNull();
    expect(JSON.stringify([run.output(), status])).not.toContain(token);
  });

  test.skipIf(REAL)(
    'is warned of at once otherwise; the verdict is kept, and nothing is pushed',
    async () => {
      const world = await makeWorld();
      const proving = { validate: WANTED, publishing: signed(false), identityToken: { token } };
      const run = await prover.start(world, proving);
      expect(await run.ended, run.output()).toMatchObject({ code: 0 });
      const status = await world.status();
      expect(status.phase).toBe('SucceededWithFailures');
      expect(status.warnings[0]).toMatch(/^the identity token in Secret cosign .* expired at/);
      expect(run.output().indexOf('WARN: the identity token')).toBeLessThan(run.output().indexOf('download'));
      expect(status.message).toMatch(/^publishing failed: the identity token in Secret cosign .* expired at/);
      expect(await kept(world)).toEqual({ verdict: VERDICT, evidence: ['evidence.tgz'] });
    },
  );
});
