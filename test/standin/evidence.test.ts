import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { dockerConfig, type Registry } from '../../hack/cluster/index.ts';
import { startFront } from '../publish/front.ts';
import { orasPath, type Registries, startRegistries } from '../steps/registries.ts';
import { COLD_BUILD, failureText, type Outcome, openProgram, type Program, REAL } from './program.ts';

let aicr: Program;
let registries: Registries;
beforeAll(async () => {
  aicr = await openProgram();
  registries = await startRegistries();
  // A recipe that has the means to hand out GPUs: a real aicr validates no other.
  await aicr.run(['recipe', '--accelerator', 'h200', '-o', 'recipe.yaml']);
  await writeFile(path.join(aicr.dir, 'snapshot.yaml'), snapshot('v1.36.3'));
}, COLD_BUILD);
afterAll(async () => {
  registries.stop();
  await aicr.remove();
});

function snapshot(server: string): string {
  const header = aicr.release.standIn ? 'aicr.run/v1' : 'aicr.run/v1alpha2';
  return JSON.stringify({
    apiVersion: header,
    kind: 'Snapshot',
    metadata: { timestamp: '2026-01-01T00:00:00Z', version: aicr.release.version.slice(1) },
    measurements: [{ type: 'K8s', subtypes: [{ subtype: 'server', data: { version: server } }] }],
  });
}

/** The stock recipe has no checks for the performance phase, so no pod is needed to validate it. */
const validate = (out: string): Promise<Outcome> =>
  aicr.run(['validate', '-r', 'recipe.yaml', '-s', 'snapshot.yaml', '--no-cluster', '-o', out]);

describe('validate', () => {
  test('writes a CTRF report, all skipped without a cluster', async () => {
    expect((await validate('offline.json')).exitCode).toBe(0);
    const report = JSON.parse(await readFile(path.join(aicr.dir, 'offline.json'), 'utf8')) as Report;
    expect(report).toMatchObject({
      reportFormat: 'CTRF',
      specVersion: '0.0.1',
      generatedBy: 'aicr',
      results: { tool: { name: 'aicr', version: aicr.release.version.slice(1) } },
    });
    const { tests, skipped, failed } = report.results.summary;
    expect([tests, failed]).toEqual([skipped, 0]);
    expect(tests).toBeGreaterThan(0);
    expect(report.results.tests[0]).toMatchObject({ status: 'skipped', suite: [expect.any(String)] });
  });

  test('attests nothing without a cluster, knows its phases, and misses a recipe', async () => {
    const attest = await aicr.run([
      'validate',
      '-r',
      'recipe.yaml',
      '--no-cluster',
      '--emit-attestation',
      'no',
    ]);
    expect(attest.exitCode).toBe(2);
    expect(failureText(attest)).toContain('--emit-attestation/--push cannot be combined with --no-cluster');
    const phase = await aicr.run(['validate', '-r', 'recipe.yaml', '--phase', 'nope']);
    expect(phase.exitCode).toBe(2);
    expect(failureText(phase)).toContain(
      'invalid phase "nope": must be one of: deployment, performance, conformance, all',
    );
    expect((await aicr.run(['validate'])).exitCode).toBe(2);
    expect((await aicr.run(['validate', '-r', 'nosuch.yaml'])).exitCode).toBe(3);
  });
});

// A real aicr wants an API server that it may write to before it attests anything.
describe.skipIf(REAL)('evidence', () => {
  beforeAll(async () => {
    const args = ['validate', '-r', 'recipe.yaml', '-s', 'snapshot.yaml', '--phase', 'performance'];
    const outcome = await aicr.run([...args, '-o', 'ctrf.json', '--emit-attestation', 'evidence']);
    expect(outcome.exitCode, outcome.stderr).toBe(0);
  });

  const publish = (registry: Registry, args: string[], env = {}): Promise<Outcome> =>
    aicr.run(['evidence', 'publish', 'evidence', '--push', `${registry.host}/acme/evidence`, ...args], env);
  const pointer = async (): Promise<Pointer> =>
    parse(await readFile(path.join(aicr.dir, 'evidence', 'pointer.yaml'), 'utf8')) as Pointer;

  test('is laid out as upstream’s, and verifies', async () => {
    expect(await pointer()).toMatchObject({
      schemaVersion: '1.0.0',
      recipe: 'h200',
      attestations: [{ bundle: { oci: '', digest: '' } }],
    });
    const manifest = JSON.parse(
      await readFile(path.join(aicr.dir, 'evidence', 'summary-bundle', 'manifest.json'), 'utf8'),
    ) as { files: { path: string }[] };
    expect(manifest.files.map((file) => file.path)).toEqual([
      'bom.cdx.json',
      'ctrf/performance.json',
      'recipe.yaml',
      'snapshot.yaml',
    ]);
    const verdict = await aicr.run(['evidence', 'verify', 'evidence', '-t', 'json']);
    expect(verdict.exitCode).toBe(0);
    expect(JSON.parse(verdict.stdout)).toMatchObject({ recipeName: 'h200', exit: 0 });
  });

  test('is pushed unsigned, and the pointer names what the registry has', async () => {
    const outcome = await publish(registries.open, ['--no-sign', '--plain-http']);
    expect(outcome.exitCode, outcome.stderr).toBe(0);
    const [attestation] = (await pointer()).attestations;
    expect(attestation?.bundle.oci).toMatch(
      new RegExp(`^${registries.open.host}/acme/evidence:h200-[0-9a-f]{12}$`),
    );
    const { stdout } = await execa(orasPath(), ['resolve', '--plain-http', attestation?.bundle.oci ?? '']);
    expect(stdout).toBe(attestation?.bundle.digest);
    const pulled = path.join(aicr.dir, 'pulled');
    await mkdir(pulled);
    await execa(orasPath(), ['pull', '--plain-http', attestation?.bundle.oci ?? ''], { cwd: pulled });
    expect(JSON.parse(await readFile(path.join(pulled, 'statement.intoto.json'), 'utf8'))).toMatchObject({
      subject: [{ name: 'recipe:h200' }],
    });
  });

  test('takes credentials from DOCKER_CONFIG, and says when the registry refuses them', async () => {
    const folder = path.join(aicr.dir, 'docker');
    await mkdir(folder);
    await writeFile(path.join(folder, 'config.json'), dockerConfig(registries.guarded));
    const flags = ['--no-sign', '--plain-http'];
    const env = { DOCKER_CONFIG: folder };
    expect((await publish(registries.guarded, flags, env)).exitCode).toBe(0);
    await writeFile(path.join(folder, 'config.json'), dockerConfig(registries.guarded, 'wrong'));
    const refused = await publish(registries.guarded, flags, env);
    expect(refused.exitCode).toBe(4);
    expect(failureText(refused)).toContain('[UNAUTHORIZED] OCI registry push failed: ');
    // Without any, upstream's client gives up by itself, and that has no code of its own.
    const anonymous = await publish(registries.guarded, flags);
    expect(anonymous.exitCode).toBe(8);
    expect(failureText(anonymous)).toContain('basic credential not found');
  });

  test('signing fails behind the push, and leaves the pointer alone', async () => {
    const before = await pointer();
    expect((await publish(registries.open, ['--plain-http'])).exitCode).toBe(6);
    const token = await publish(registries.open, ['--plain-http'], { COSIGN_IDENTITY_TOKEN: 'a.b.c' });
    expect(token.exitCode).toBe(8);
    expect(token.stderr).toContain('OCI artifact pushed successfully');
    expect(await pointer()).toEqual(before);
  });

  test('reaches a registry with an unknown certificate only with --insecure-tls', async () => {
    expect((await publish(registries.untrusted, ['--no-sign'])).exitCode).toBe(8);
    expect((await publish(registries.untrusted, ['--no-sign', '--insecure-tls'])).exitCode).toBe(0);
  });

  const publishAt = (push: string, env = {}): Promise<Outcome> =>
    aicr.run(['evidence', 'publish', 'evidence', '--push', push, '--no-sign', '--plain-http'], env);

  test.each([
    [400, 2],
    [403, 4],
    [404, 3],
    [409, 2],
    [412, 2],
    [429, 7],
    [503, 6],
  ])('a registry that answers %i ends it with %i, in the registry’s words', async (status, exitCode) => {
    const answer = { status, code: 'TAG_INVALID', message: 'not this one' };
    const front = await startFront(registries.open.host, answer);
    const outcome = await publishAt(`${front.host}/acme/refused`);
    front.stop();
    expect(outcome.exitCode).toBe(exitCode);
    expect(failureText(outcome)).toMatch(/OCI registry push failed.*not this one/);
  });

  test('a reference may begin with oci://, carry a digest, or name no registry', async () => {
    const { host } = registries.open;
    const pushed = async (): Promise<string> => (await pointer()).attestations[0]?.bundle.oci ?? '';
    expect((await publishAt(`oci://${host}/acme/scheme:1`)).exitCode).toBe(0);
    expect(await pushed()).toBe(`${host}/acme/scheme:1`);
    expect((await publishAt(`${host}/acme/digest@sha256:${'0'.repeat(64)}`)).exitCode).toBe(0);
    expect(await pushed()).toMatch(/\/acme\/digest:h200-[0-9a-f]{12}$/);
    // Nothing leaves this machine: the proxy is not there.
    const hub = await publishAt('acme', { HTTP_PROXY: 'http://127.0.0.1:9' });
    expect(hub.exitCode).toBe(6);
    expect(failureText(hub)).toContain('http://registry-1.docker.io/v2/library/acme/');
    expect((await publishAt(`${host}/ACME/e`)).exitCode).toBe(2);
  });

  test('a docker config that cannot be read is a warning, and the push anonymous', async () => {
    const folder = path.join(aicr.dir, 'broken-docker');
    await mkdir(folder);
    await writeFile(path.join(folder, 'config.json'), '{');
    const outcome = await publishAt(`${registries.open.host}/acme/anyone`, { DOCKER_CONFIG: folder });
    expect(outcome.exitCode, outcome.stderr).toBe(0);
    expect(outcome.stderr).toContain('continuing without authentication');
  });

  test('of checks that came to no conclusion verifies; that of a failed one does not', async () => {
    const verify = async (result: string): Promise<Outcome> => {
      const pack = await aicr.pack('acme');
      const validators = [{ name: 'check', phase: 'performance', image: 'x', args: [result] }];
      const catalog = { apiVersion: 'validator.nvidia.com/v1alpha1', kind: 'ValidatorCatalog', validators };
      await mkdir(path.join(pack, 'validators'), { recursive: true });
      await writeFile(path.join(pack, 'validators', 'catalog.yaml'), JSON.stringify(catalog));
      const args = ['-r', 'recipe.yaml', '-s', 'snapshot.yaml', '--data', pack, '--phase', 'performance'];
      await aicr.run(['validate', ...args, '-o', 'ctrf.json', '--emit-attestation', result]);
      return await aicr.run(['evidence', 'verify', result, '-t', 'json']);
    };
    expect((await verify('other')).exitCode).toBe(0);
    const failed = await verify('failed');
    expect(failed.exitCode).toBe(2);
    expect(JSON.parse(failed.stdout)).toMatchObject({ exit: 1 });
  });

  test('a registry that is not there is unavailable; a URL is no reference; no folder is no bundle', async () => {
    const at = (push: string, dir = 'evidence'): Promise<Outcome> =>
      aicr.run(['evidence', 'publish', dir, '--push', push, '--no-sign', '--plain-http']);
    expect((await at('127.0.0.1:9/acme/evidence')).exitCode).toBe(6);
    expect((await at('http://127.0.0.1:9/acme/evidence')).exitCode).toBe(2);
    expect((await at('127.0.0.1:9/acme/evidence', 'nowhere')).exitCode).toBe(2);
  });

  test('a bundle that was touched does not verify', async () => {
    const args = ['validate', '-r', 'recipe.yaml', '-s', 'snapshot.yaml', '--phase', 'performance'];
    await aicr.run([...args, '-o', 'ctrf.json', '--emit-attestation', 'touched']);
    await writeFile(path.join(aicr.dir, 'touched', 'summary-bundle', 'recipe.yaml'), '{}');
    const outcome = await aicr.run(['evidence', 'verify', 'touched', '-t', 'json']);
    expect(outcome.exitCode).toBe(2);
    expect(JSON.parse(outcome.stdout)).toMatchObject({ exit: 2 });
  });
});

test.skipIf(REAL)('a cluster older than the recipe wants fails whatever --fail-on-error says', async () => {
  await writeFile(path.join(aicr.dir, 'old.yaml'), snapshot('v1.10.0'));
  const args = ['validate', '-r', 'recipe.yaml', '-s', 'old.yaml', '--fail-on-error=false'];
  const outcome = await aicr.run([...args, '--phase', 'performance']);
  expect(outcome.exitCode).toBe(2);
  expect(failureText(outcome)).toContain(
    'readiness check failed: K8s.server.version expected >= 1.25, got v1.10.0',
  );
});

interface Report {
  results: {
    summary: { tests: number; skipped: number; failed: number };
    tests: { status: string; suite: string[] }[];
  };
}

interface Pointer {
  attestations: { bundle: { oci: string; digest: string } }[];
}
