import { expect } from 'vitest';
import type { ReasonCode } from '../../src/contract/index.ts';
import { dockerConfig } from '../cluster/index.ts';
import { expectFailure } from './failure.ts';
import { PACK_SECRET, type Scenario, test } from './scenario.ts';
import { stepStates } from './status.ts';

/** A registry Secret that cannot do, and how a run with it ends. */
interface Unusable {
  readonly what: string;
  readonly content: (scenario: Scenario) => string;
  readonly type?: 'Opaque';
  readonly code: ReasonCode;
  /** In the message, beside the Secret's name. */
  readonly says: (scenario: Scenario) => string;
}

const UNUSABLE: readonly Unusable[] = [
  {
    what: 'wrong credentials',
    content: ({ cluster }) => dockerConfig(cluster.registry, 'not-the-password'),
    code: 'PackUnauthorized',
    says: ({ cluster }) => `unauthorized: ${cluster.registry.host} refused the credentials`,
  },
  {
    what: 'no entry for the registry',
    content: () => JSON.stringify({ auths: { 'registry.example': { auth: 'dXNlcjpwYXNzd29yZA==' } } }),
    code: 'SecretInvalid',
    says: ({ cluster }) => `has no entry for ${cluster.registry.host} (its entries: registry.example)`,
  },
  {
    what: 'a docker config that was encoded twice',
    content: ({ cluster }) => Buffer.from(dockerConfig(cluster.registry)).toString('base64'),
    // The API server takes no such thing for a docker config, but an Opaque Secret can hold anything.
    type: 'Opaque',
    code: 'SecretInvalid',
    says: () => 'is not a docker config',
  },
];

test('a Secret with another key is named at once, not waited for', async ({ scenario }) => {
  const { values } = await scenario.pack('acme');
  await scenario.namespace.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: PACK_SECRET },
    stringData: { 'config.json': dockerConfig(scenario.cluster.registry) },
  });
  const release = scenario.release();
  await release.install(values);
  const status = await expectFailure(release, 'SecretInvalid');
  expect(status.message).toContain('has no key .dockerconfigjson (its keys: config.json)');
});

for (const { what, content, type, code, says } of UNUSABLE) {
  test(`a pull with ${what} fails closed, and says so with the name of the Secret`, async ({ scenario }) => {
    const { values } = await scenario.pack('acme');
    await scenario.packSecret(content(scenario), type);
    const release = scenario.release();
    await release.install(values);
    const status = await expectFailure(release, code);
    expect(status.message).toContain(says(scenario));
    expect(status.message).toContain(`Secret ${PACK_SECRET}`);
    // Not tried again, nor anonymously; and aicr has not resolved anything.
    expect(status.steps.find(({ name }) => name === 'pack')).toMatchObject({ state: 'Failed', attempts: 1 });
    expect(stepStates(status)).toContain('recipe Pending');
    expect(status.pack.digest).toBe('');
    expect(await release.recipe()).toBeUndefined();
    expect(await (await release.job()).log()).not.toContain('not-the-password');
  });
}
