import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { dockerConfig } from '../../hack/cluster/index.ts';
import { RunError } from '../../src/contract/index.ts';
import { MemoryCluster } from '../steps/memory-cluster.ts';
import { mayMount, withFileSystem } from '../steps/small-disk.ts';
import { Publishing, type PublishWish, TARGET } from './publishing.ts';

let cluster: MemoryCluster;
beforeEach(() => {
  cluster = new MemoryCluster();
});
const p = new Publishing(() => cluster);

/** What every failure must leave: the evidence as it was captured, nothing of a pointer, no credentials. */
function expectEvidenceKept(): void {
  expect(cluster.keys(TARGET.configMap)).toEqual(['evidence.tgz']);
  p.expectNoCredentials();
}

interface Failing {
  readonly case: string;
  readonly ref: () => Promise<string> | string;
  readonly wish?: Partial<PublishWish>;
  readonly secret?: string;
  readonly message: RegExp;
  readonly hint: RegExp;
  readonly retries?: number;
}

const failing: readonly Failing[] = [
  {
    case: 'without a login where one is needed',
    ref: () => `${p.registries.guarded.host}/acme/e`,
    message: /unauthorized: \S+ refused an anonymous push/,
    hint: /validate\.publish\.registrySecret/,
  },
  {
    case: 'with a wrong password',
    ref: () => `${p.registries.guarded.host}/acme/e`,
    wish: { registrySecret: 'push-secret' },
    secret: 'wrong-password',
    message: /unauthorized: \S+ refused the credentials of Secret push-secret/,
    hint: /Secret push-secret \(namespace gpu\)/,
  },
  {
    case: 'to a registry that forbids it',
    ref: async () =>
      `${(await p.refusing({ status: 403, code: 'DENIED', message: 'requested access to the resource is denied' })).host}/acme/forbidden`,
    message: /forbidden: \S+ does not let an anonymous push write/,
    hint: /registrySecret/,
  },
  {
    case: 'over a tag that may not be overwritten (409)',
    ref: async () =>
      `${(await p.refusing({ status: 409, code: 'TAG_INVALID', message: 'tag exists' })).host}/acme/tag409:1`,
    message: /refuses to overwrite the tag/,
    hint: /Leave the tag out of validate\.publish\.ref/,
  },
  {
    case: 'over a tag that may not be overwritten (412)',
    ref: async () =>
      `${(await p.refusing({ status: 412, code: 'PRECONDITION', message: 'configured as immutable' })).host}/acme/tag412:1`,
    message: /refuses to overwrite the tag/,
    hint: /Leave the tag out/,
  },
  {
    case: 'to a registry that is down',
    ref: () => '127.0.0.1:9/acme/e',
    message: /127\.0\.0\.1:9 cannot be reached/,
    hint: /up and can be reached/,
    retries: 4,
  },
  {
    case: 'to one that limits the rate',
    ref: async () =>
      `${(await p.refusing({ status: 429, code: 'TOOMANYREQUESTS', message: 'slow down' })).host}/acme/rate`,
    message: /cannot answer now/,
    hint: /up and can be reached/,
    retries: 4,
  },
  {
    case: 'over TLS to one without TLS',
    ref: () => `${p.registries.open.host}/acme/e`,
    wish: { plainHTTP: false },
    message: /speaks plain HTTP/,
    hint: /validate\.publish\.plainHTTP/,
  },
  {
    case: 'without TLS to one with TLS',
    ref: () => `${p.registries.untrusted.host}/acme/e`,
    message: /400/,
    hint: /Clear validate\.publish\.plainHTTP|clear validate\.publish\.plainHTTP/,
  },
  {
    case: 'to a certificate that nobody trusts',
    ref: () => `${p.registries.untrusted.host}/acme/e`,
    wish: { plainHTTP: false },
    message: /certificate of \S+ is not trusted/,
    hint: /validate\.publish\.insecureTLS/,
  },
];

describe('publishing that fails', () => {
  it.each(failing)('$case is said so, keeps the evidence, and fails only what it shall', async (failure) => {
    if (failure.secret !== undefined)
      p.land('publish', '.dockerconfigjson', dockerConfig(p.registries.guarded, failure.secret));
    const ref = await failure.ref();
    const outcome = await p.keepAndPublish(ref, failure.wish);
    expect(outcome).toEqual({ message: expect.stringMatching(failure.message), failures: ['publishing'] });
    expect(p.test.recorded.warnings).toEqual([expect.stringMatching(failure.hint)]);
    expect(p.test.recorded.retries).toHaveLength(failure.retries ?? 0);
    expectEvidenceKept();
    const said = JSON.stringify([outcome, p.test.recorded]);
    if (failure.secret !== undefined) expect(said).not.toContain(failure.secret);

    const strict = await p.publish(p.plan(ref, { ...failure.wish, failOnError: true }));
    expect(strict.failsRun).toMatchObject({
      code: 'PublishFailed',
      message: expect.stringMatching(failure.message),
    });
    expectEvidenceKept();
  });

  it.runIf(mayMount)('on a full disk is a failure to publish, and none of the run', async () => {
    await withFileSystem('size=4k', async (full) => {
      writeFileSync(join(full, 'filling'), Buffer.alloc(4096));
      const step = { ...p.planWith('echo never reached'), configDir: join(full, 'auth') };
      const outcome = await p.publish(step);
      expect(outcome).toEqual({
        message: expect.stringMatching(/^publishing failed: .* is too small for publishing the evidence/),
        failures: ['publishing'],
      });
      expect(p.test.recorded.warnings).toEqual([expect.stringContaining('job.tmpSizeLimit')]);
    });
  });

  it('for lack of a bundle says so', async () => {
    rmSync(join(p.work, 'evidence'), { recursive: true });
    const outcome = await p.publish(p.plan(`${p.registries.open.host}/acme/e`));
    expect(outcome.message).toContain('nothing to publish: aicr validate emitted no evidence bundle');
  });

  it.each([
    ['is no JSON', '.dockerconfigjson', 'not json', /Secret push-secret is not a docker config/],
    [
      'has no entry for the host',
      '.dockerconfigjson',
      '{"auths":{"other.example":{"auth":"dTpw"}}}',
      /no entry for 127/,
    ],
    ['has another key', 'config.json', '{}', /has no key \.dockerconfigjson \(its keys: config\.json\)/],
  ])('for a Secret that %s says so, and never tries without', async (_, key, text, message) => {
    p.land('publish', key, text);
    const outcome = await p.keepAndPublish(`${p.registries.open.host}/acme/e`, {
      registrySecret: 'push-secret',
    });
    expect(outcome).toMatchObject({ message: expect.stringMatching(message), failures: ['publishing'] });
    expect(p.test.recorded.warnings[0]).not.toContain('dataPackSecret');
    expectEvidenceKept();
  });

  it('for a Secret that never lands gives up after ten minutes', async () => {
    let minutes = 0;
    const clock = {
      ...p.test.context.clock,
      monotonic: () => minutes * 60_000,
      sleep: async () => {
        minutes += 1;
      },
    };
    p.test = { ...p.test, context: { ...p.test.context, clock } };
    const outcome = await p.publish(
      p.plan(`${p.registries.open.host}/acme/e`, { registrySecret: 'push-secret' }),
    );
    expect(outcome.message).toContain(
      'Secret push-secret (validate.publish.registrySecret) in namespace gpu did not land within 600 s',
    );
    expect(minutes).toBe(10);
  });

  it('for a Secret that never lands gives up before the deadline comes', async () => {
    let seconds = 0;
    const clock = {
      ...p.test.context.clock,
      monotonic: () => seconds * 1000,
      sleep: async () => {
        seconds += 2;
      },
    };
    const deadline = new Date(Date.now() + 90_000);
    p.test = { ...p.test, context: { ...p.test.context, clock, deadline } };
    await p.publish(p.plan(`${p.registries.open.host}/acme/e`, { registrySecret: 'push-secret' }));
    expect(seconds).toBeLessThanOrEqual(32);
  });

  it.each([
    ['no pointer', 'true', /it wrote no pointer\.yaml/],
    [
      'a pointer without a digest',
      `echo 'attestations: [{bundle: {oci: "r/x:1", digest: ""}}]' > "$3/pointer.yaml"`,
      /has no digest/,
    ],
    [
      'a pointer with half a digest',
      `echo 'attestations: [{bundle: {oci: "r/x:1", digest: "sha256:ab"}}]' > "$3/pointer.yaml"`,
      /malformed digest/,
    ],
    ['a pointer to nothing', `echo 'attestations: []' > "$3/pointer.yaml"`, /names no bundle/],
    ['a pointer that is no YAML', `printf '{\\xff' > "$3/pointer.yaml"`, /names no bundle/],
  ])('by ending well with %s is said so', async (_, script, message) => {
    const outcome = await p.publish(p.planWith(script));
    expect(outcome).toMatchObject({ message: expect.stringMatching(message), failures: ['publishing'] });
    expect(outcome.message).toContain('aicr evidence publish ended well, but');
  });

  it('when the run is stopped ends the run, not the evidence', async () => {
    const interrupted = new RunError('Interrupted', 'SIGTERM', { hint: 'run it again' });
    const { log } = p.test.context;
    const child = () => p.test.abort(interrupted);
    const context = { ...p.test.context, log: { ...log, child } };
    p.test = { ...p.test, context };
    await expect(p.publish(p.planWith('echo running; sleep 60'))).rejects.toBe(interrupted);
    p.expectNoCredentials();
  });

  it('to keep its pointer is a warning, and it is published all the same', async () => {
    cluster.applyConfigMap = () => Promise.reject(new Error('the API server is gone'));
    const outcome = await p.publish(p.plan(`${p.registries.open.host}/acme/e`));
    expect(outcome).toMatchObject({
      message: expect.stringMatching(/^published as/),
      failures: ['evidence (not kept)'],
    });
    expect(p.test.recorded.warnings).toEqual([expect.stringContaining('the API server is gone')]);
  });
});
