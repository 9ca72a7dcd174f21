import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { dockerConfig } from '../../hack/cluster/index.ts';
import { type ApiStore, type FoundConfigMap, startApiStore } from '../results/api-store.ts';
import { orasPath } from '../steps/registries.ts';
import { Publishing, TARGET } from './publishing.ts';

let api: ApiStore;
beforeAll(async () => {
  api = await startApiStore('gpu', 'stack');
});
afterAll(() => api.stop());
beforeEach(() => api.clear());
const p = new Publishing(() => api.cluster);

const captured = async (): Promise<Partial<FoundConfigMap>> => (await api.find(TARGET.configMap)) ?? {};

describe('evidence', () => {
  it('that is published can be pulled by the digest that its pointer names, with the bytes of the ConfigMap', async () => {
    const outcome = await p.keepAndPublish(`${p.registries.open.host}/acme/evidence`);
    const { data, binaryData } = await captured();
    const { oci, digest } = parse(data?.['pointer.yaml'] ?? '').attestations[0].bundle;
    expect(outcome).toEqual({ message: `published as ${oci}@${digest}` });
    expect(p.test.recorded.facts.evidence).toMatchObject({ oci, digest });

    const repository = oci.slice(0, oci.lastIndexOf(':'));
    await execa(orasPath(), [
      'pull',
      `${repository}@${digest}`,
      '--plain-http',
      '--output',
      join(p.work, 'pulled'),
    ]);
    writeFileSync(join(p.work, 'kept.tgz'), Buffer.from(binaryData?.['evidence.tgz'] ?? '', 'base64'));
    mkdirSync(join(p.work, 'kept'));
    await execa('tar', ['xzf', join(p.work, 'kept.tgz'), '-C', join(p.work, 'kept')]);
    await execa('diff', ['-r', join(p.work, 'pulled'), join(p.work, 'kept', 'summary-bundle')]);
  });

  it('can be published twice', async () => {
    const ref = `${p.registries.open.host}/acme/twice:1`;
    const first = await p.keepAndPublish(ref);
    expect(await p.keepAndPublish(ref)).toEqual(first);
  });

  it('of 5 MB is split in the ConfigMaps and whole in the registry', async () => {
    const noise = randomBytes(2_500_000).toString('base64');
    rmSync(join(p.work, 'evidence'), { recursive: true });
    await p.aicr.emit(join(p.work, 'evidence'), noise);
    await p.keepAndPublish(`${p.registries.open.host}/acme/large`);
    expect(p.test.recorded.results.at(-1)?.holds).toMatch(
      /with aicr-evidence-bundle-1 to aicr-evidence-bundle-\d+\)$/,
    );
    expect((await api.names()).length).toBeGreaterThan(7);
    const { data } = await captured();
    expect(Object.keys(data ?? {}).sort()).toEqual(['READ-THIS.txt', 'pointer.yaml']);
    const command = data?.['READ-THIS.txt']?.split('\n').find((line) => line.startsWith('  for ')) ?? 'false';
    await api.shell(command.trim(), p.work);
    mkdirSync(join(p.work, 'joined'));
    await execa('tar', ['xzf', join(p.work, 'evidence.tgz'), '-C', join(p.work, 'joined')]);
    await execa('diff', [
      '-r',
      join(p.work, 'evidence', 'summary-bundle'),
      join(p.work, 'joined', 'summary-bundle'),
    ]);
  });

  it('is published with the login of its Secret, of which nothing is left or shown', async () => {
    p.land('publish', '.dockerconfigjson', dockerConfig(p.registries.guarded));
    const outcome = await p.keepAndPublish(`${p.registries.guarded.host}/acme/private`, {
      registrySecret: 'push-secret',
    });
    expect(outcome.message).toMatch(/^published as/);
    p.expectNoCredentials();
    const { password = '' } = p.registries.guarded.login ?? {};
    p.test.context.log.info(`password ${password}`);
    expect(p.test.recorded.log.at(-1)).toBe('password ***');
  });

  it('is published over unverified TLS when told so', async () => {
    const outcome = await p.keepAndPublish(`${p.registries.untrusted.host}/acme/tls`, {
      plainHTTP: false,
      insecureTLS: true,
    });
    expect(outcome.message).toMatch(/^published as/);
  });

  it('is published by the next try when the registry comes back', async () => {
    const front = await p.refusing({ status: 503, code: 'UNAVAILABLE', message: 'try later' }, 2);
    const outcome = await p.keepAndPublish(`${front.host}/acme/later`);
    expect(outcome.message).toMatch(/^published as/);
    expect(p.test.recorded.retries.length).toBeGreaterThan(0);
  });

  it('waits for a Secret that lands late, and says so', async () => {
    const { status } = p.test.context;
    const waiting = {
      ...status,
      waitingForSecret: async (message: string) => {
        await status.waitingForSecret(message);
        p.land('publish', '.dockerconfigjson', dockerConfig(p.registries.guarded));
      },
    };
    p.test = { ...p.test, context: { ...p.test.context, status: waiting } };
    const outcome = await p.keepAndPublish(`${p.registries.guarded.host}/acme/late`, {
      registrySecret: 'push-secret',
    });
    expect(outcome.message).toMatch(/^published as/);
    expect(p.test.recorded.waits).toEqual([
      expect.stringContaining(
        'waiting for Secret push-secret (validate.publish.registrySecret) in namespace gpu',
      ),
      expect.stringContaining('here'),
    ]);
  });
});
