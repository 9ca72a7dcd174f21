import { describe, expect, test } from 'vitest';
import { type Any, FULL, refuse, render } from './helm.ts';

const A = 'a'.repeat(64);
const B = 'b'.repeat(64);

describe.concurrent('run.json', () => {
  test('pins each CPU kind by its own hash', async () => {
    const { runSpec } = await render({ ...FULL, aicrSha256: { amd64: A, arm64: B } });
    expect(runSpec.aicr.sha256).toEqual({ amd64: A, arm64: B });
  });

  test.each([
    ['amd64', { amd64: A, arm64: '' }],
    ['arm64', { amd64: '', arm64: B }],
  ])('pins %s alone', async (arch, pins) => {
    const given = { [arch]: pins[arch as keyof typeof pins] };
    expect((await render({ ...FULL, aicrSha256: given })).runSpec.aicr.sha256).toEqual(pins);
  });

  test.each([
    ['http://m.example/x/', 'http://m.example/x'],
    ['http://m.example/x', 'http://m.example/x'],
  ])('takes only slashes from the end of a mirror: %s', async (baseUrl, expected) => {
    expect((await render({ ...FULL, aicrSource: { baseUrl } })).runSpec.aicr.baseUrl).toBe(expected);
  });

  test.each([' v1.3.0\n', '\t1.3.0 '])('takes the blanks from around a version: %j', async (aicrVersion) => {
    expect((await render({ ...FULL, aicrVersion })).runSpec.aicr.version).toBe('v1.3.0');
  });
});

describe.concurrent('a Secret that is null', () => {
  const published = (publish: object): object => ({
    ...FULL,
    deployFlags: '',
    validate: {
      enabled: true,
      emitEvidence: true,
      publish: { enabled: true, ref: 'r.example/p', ...publish },
    },
  });

  test('for the registry is none', async () => {
    const { pod, runSpec } = await render(published({ mode: 'unsigned', registrySecret: null }));
    expect(pod.volumes.map(({ name }: Any) => name)).not.toContain('publish-auth');
    expect(runSpec.warnings).toHaveLength(1);
  });

  test('for the identity token is missing', async () => {
    expect(await refuse(published({ mode: 'signed', identityTokenSecret: { name: null } }))).toMatch(
      /^validate\.publish\.identityTokenSecret\.name: is empty/,
    );
  });
});

test('an environment text is only changed where Kubernetes would change it', async () => {
  const texts = ['US$5', '$HOME', `$\{HOME}`, 'a$', '$'];
  const extraEnv = texts.map((value, index) => ({ name: `T${index}`, value }));
  const { installer } = await render({ ...FULL, job: { extraEnv } });
  expect(installer.env.slice(-texts.length).map(({ value }: Any) => value)).toEqual(texts);
});

test('run.json tells which variables come from Secrets, so that the runner can hide what they hold', async () => {
  const fromSecret = { secretKeyRef: { name: 'ngc', key: 'key' } };
  const extraEnv = [
    { name: 'NGC_API_KEY', valueFrom: fromSecret },
    { name: 'SITE', value: 'berlin' },
    { name: 'NODE_IP', valueFrom: { fieldRef: { fieldPath: 'status.hostIP' } } },
  ];
  const environmentOf = async (job: Any): Promise<unknown> =>
    (await render({ ...FULL, job })).runSpec.environment;
  expect(await environmentOf({ extraEnv, extraEnvFrom: [{ configMapRef: { name: 'site' } }] })).toEqual({
    secret: ['NGC_API_KEY'],
    plain: ['SITE', 'NODE_IP'],
    fromSecrets: false,
  });
  const [site, logins] = [{ configMapRef: { name: 'site' } }, { secretRef: { name: 'logins' } }];
  // One Secret is enough, wherever it stands.
  for (const extraEnvFrom of [[logins], [logins, site], [site, logins], [site, logins, site]]) {
    expect(await environmentOf({ extraEnvFrom })).toEqual({ secret: [], plain: [], fromSecrets: true });
  }
});
