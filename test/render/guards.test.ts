import { describe, expect, test } from 'vitest';
import { askGuards, type GuardCase } from './guards.ts';
import { FULL, refuse } from './helm.ts';

const HEX = 'a'.repeat(63);
const PIN = `${HEX}1`;

const cases: readonly GuardCase[] = [
  ['an accelerator alone', { accelerator: 'h100' }, []],
  ['a data pack alone', { dataPack: 'r.example/p:1' }, []],
  ['a concrete service and an intent', { service: 'bcm', intent: 'inference' }, []],
  ['nothing', {}, ['accelerator']],
  ['a concrete service alone', { service: 'eks' }, ['accelerator']],
  ['accelerator any alone', { accelerator: 'any' }, ['accelerator']],
  ['accelerator ANY alone', { accelerator: 'ANY' }, ['accelerator']],
  [
    'accelerator any beside service and intent',
    { accelerator: 'any', service: 'eks', intent: 'training' },
    [],
  ],
  ['an intent with service any', { intent: 'training' }, ['accelerator', 'intent']],
  ['an intent with self-managed', { intent: 'training', service: 'self-managed' }, ['accelerator']],
  ['an intent with self', { intent: 'training', service: 'self' }, ['accelerator']],
  ['an intent with vanilla', { intent: 'training', service: 'vanilla' }, ['accelerator']],

  ['an accelerator and an intent with service any', { accelerator: 'h100', intent: 'training' }, ['intent']],
  ['the same with an empty service', { accelerator: 'h100', intent: 'training', service: '' }, ['intent']],
  ['the same with a data pack', { accelerator: 'h100', intent: 'training', dataPack: 'r.example/p' }, []],
  ['the same with a service', { accelerator: 'h100', intent: 'training', service: 'eks' }, []],
  [
    'the same with --service in recipeFlags',
    { accelerator: 'h100', intent: 'training', recipeFlags: '--nodes 4 --service=eks' },
    [],
  ],
  [
    'the same with --data at the end of recipeFlags',
    { accelerator: 'h100', intent: 'training', recipeFlags: '--nodes 4 --data' },
    [],
  ],
  [
    'the same with --data in recipeArgs',
    { accelerator: 'h100', intent: 'training', recipeArgs: ['--data', '/x'] },
    [],
  ],
  [
    'the same with --snapshot in recipeArgs',
    { accelerator: 'h100', intent: 'training', recipeArgs: ['--snapshot=/x'] },
    [],
  ],
  [
    'the same with --config in recipeArgs',
    { accelerator: 'h100', intent: 'training', recipeArgs: ['-x', '--config'] },
    [],
  ],
  [
    'the same with other flags',
    {
      accelerator: 'h100',
      intent: 'training',
      recipeFlags: '--service-x a--data',
      recipeArgs: ['a --service'],
    },
    ['intent'],
  ],

  ['a data pack with a scheme', { dataPack: 'oci://r.example/p:1' }, ['dataPack']],
  ['a data pack with a port', { dataPack: 'r.example:5000/p@sha256:00' }, []],
  ['a data pack with a blank', { dataPack: 'r.example/p :1' }, ['dataPack']],
  ['a data pack with tag and digest', { dataPack: 'r.example/p:1@sha256:0af' }, []],
  ['a data pack with a long digest', { dataPack: 'r.example/p@sha512:0af' }, []],
  ['a data pack with a tag behind its digest', { dataPack: 'r.example/p@sha256:0af:1' }, ['dataPack']],
  ['a data pack with an @ for a tag', { dataPack: 'r.example/p@latest' }, ['dataPack']],
  ['a data pack with a user name', { dataPack: 'joe@r.example:5000/p@sha256:0af' }, ['dataPack']],
  ['a data pack with a user name and no repository', { dataPack: 'joe@r.example:5000' }, ['dataPack']],
  ['a mirror with an @ in its path', { ...FULL, aicrSource: { baseUrl: 'http://m.example/a//b@c' } }, []],
  ...['joe@m.example/a', 'joe:x@m.example', ':x@m.example:80/a', 'm.example/a?b', 'm.example/a#b'].map(
    (rest): GuardCase => [
      `a mirror at ${rest}`,
      { ...FULL, aicrSource: { baseUrl: `https://${rest}` } },
      ['aicrSource.baseUrl'],
    ],
  ),
  ['dataPackAuth', { ...FULL, dataPackAuth: { dockerconfigjson: '{"auths": {}}' } }, []],
  [
    'dataPackAuth and dataPackSecret',
    { ...FULL, dataPackSecret: 's', dataPackAuth: { dockerconfigjson: '{}' } },
    ['dataPackAuth.dockerconfigjson'],
  ],
  [
    'dataPackAuth in base64',
    { ...FULL, dataPackAuth: { dockerconfigjson: 'eyJhdXRocyI6IHt9fQ==' } },
    ['dataPackAuth.dockerconfigjson'],
  ],
  [
    'dataPackAuth that is a JSON list',
    { ...FULL, dataPackAuth: { dockerconfigjson: '[]' } },
    ['dataPackAuth.dockerconfigjson'],
  ],
  [
    'dataPackAuth cut short',
    { ...FULL, dataPackAuth: { dockerconfigjson: '{"auths":' } },
    ['dataPackAuth.dockerconfigjson'],
  ],

  ['a version without v', { ...FULL, aicrVersion: '1.2.0' }, []],
  ['a candidate', { ...FULL, aicrVersion: ' v1.3.0-rc.1 ' }, []],
  ['a version that YAML makes 1.1', 'accelerator: h100\naicrVersion: 1.10\n', ['aicrVersion']],
  ['a version that YAML makes 384', 'accelerator: h100\naicrVersion: 0600\n', ['aicrVersion']],
  ['a version that YAML makes true', 'accelerator: h100\naicrVersion: on\n', ['aicrVersion']],
  ['a version of two numbers', { ...FULL, aicrVersion: 'v1.2' }, ['aicrVersion']],
  ['a moving tag', { ...FULL, aicrVersion: 'latest' }, ['aicrVersion']],
  ['an empty version', { ...FULL, aicrVersion: '' }, ['aicrVersion']],

  ['a pin', { ...FULL, aicrSha256: { amd64: PIN, arm64: '' } }, []],
  [
    'pins in other forms',
    { ...FULL, aicrSha256: { amd64: ` SHA256:${PIN.toUpperCase()}\n`, arm64: `sha256:${PIN}` } },
    [],
  ],
  ['one pin for all', { ...FULL, aicrSha256: PIN }, ['aicrSha256']],
  ['a list of pins', { ...FULL, aicrSha256: [PIN] }, ['aicrSha256']],
  ['a pin one digit short', { ...FULL, aicrSha256: { amd64: HEX } }, ['aicrSha256.amd64']],
  ['a pin one digit long', { ...FULL, aicrSha256: { arm64: `${PIN}0` } }, ['aicrSha256.arm64']],
  ['a pin with a letter too many', { ...FULL, aicrSha256: { amd64: `${HEX}g` } }, ['aicrSha256.amd64']],
  [
    'a pin of digits only, unquoted',
    `accelerator: h100\naicrSha256: {amd64: ${'1'.repeat(64)}}\n`,
    ['aicrSha256.amd64'],
  ],
  ['a pin for another CPU kind', { ...FULL, aicrSha256: { x86_64: PIN } }, ['aicrSha256.x86_64']],

  ['k0sContainerd false', { ...FULL, environment: { k0sContainerd: false } }, []],
  ['k0sContainerd null', { ...FULL, environment: { k0sContainerd: null } }, []],
  ['k0sContainerd true', { ...FULL, environment: { k0sContainerd: true } }, ['environment.k0sContainerd']],
  [
    'k0sContainerd "false"',
    { ...FULL, environment: { k0sContainerd: 'false' } },
    ['environment.k0sContainerd'],
  ],
  ['k0sContainerd ""', { ...FULL, environment: { k0sContainerd: '' } }, ['environment.k0sContainerd']],
  ['k0sContainerd 0', { ...FULL, environment: { k0sContainerd: 0 } }, ['environment.k0sContainerd']],
  ['k0sContainerd {}', { ...FULL, environment: { k0sContainerd: {} } }, ['environment.k0sContainerd']],

  ['ConfigMap names', { ...FULL, recipeConfigMap: 'a.b-c', statusConfigMap: 'a.b-d' }, []],
  ['no recipe ConfigMap', { ...FULL, recipeConfigMap: '', statusConfigMap: 'none' }, []],
  ['one name for both', { ...FULL, recipeConfigMap: 'same', statusConfigMap: 'same' }, ['statusConfigMap']],
  ['the default status name for the recipe', { ...FULL, recipeConfigMap: 'rel-status' }, ['statusConfigMap']],
  ['a name with capitals', { ...FULL, recipeConfigMap: 'Recipe' }, ['recipeConfigMap']],
  ['a name that ends in a dash', { ...FULL, statusConfigMap: 'a-' }, ['statusConfigMap']],
  ['a status name of 254 characters', { ...FULL, statusConfigMap: 'a'.repeat(254) }, ['statusConfigMap']],
  ['a status name of 253 characters', { ...FULL, statusConfigMap: 'a'.repeat(253) }, []],
  ['a name without room for a number', { ...FULL, recipeConfigMap: 'a'.repeat(249) }, ['recipeConfigMap']],
  ['a name with room for a number', { ...FULL, recipeConfigMap: 'a'.repeat(248) }, []],
  ['the name of a run', { ...FULL, recipeConfigMap: 'rel-run-0123456789' }, ['recipeConfigMap']],
  ['the name of a program', { ...FULL, statusConfigMap: 'rel-runner-0123456789' }, ['statusConfigMap']],

  [
    'an environment variable',
    {
      ...FULL,
      job: {
        extraEnv: [
          { name: 'A', value: 'x' },
          { name: 'B', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        ],
      },
    },
    [],
  ],
  ['one variable twice', { ...FULL, job: { extraEnv: [{ name: 'A' }, { name: 'A' }] } }, ['job.extraEnv[1]']],
  [
    'a variable with two values',
    { ...FULL, job: { extraEnv: [{ name: 'A', value: 'x', valueFrom: { fieldRef: {} } }] } },
    ['job.extraEnv[0]'],
  ],
  ...[
    'HOME',
    'TMPDIR',
    'HELM_DEBUG_FLAG',
    'HELM_PLUGINS',
    'XDG_CACHE_HOME',
    'XDG_RUNTIME_DIR',
    'DOCKER_CONFIG',
    'KUBECONFIG',
    'KUBECONFIG_FLAG',
    'KUBE_CONTEXT',
    'DRY_RUN_FLAG',
    'COSIGN_IDENTITY_TOKEN',
    'NODE_OPTIONS',
    'NODE_EXTRA_CA_CERTS',
    'POD_NAME',
    'POD_NAMESPACE',
    'POD_UID',
    'NODE_NAME',
    'JOB_NAME',
  ].map(
    (name) =>
      [
        `the variable ${name}`,
        { ...FULL, job: { extraEnv: [{ name, value: 'x' }] } },
        ['job.extraEnv[0]'],
      ] as const,
  ),
  [
    'a variable with a similar name',
    {
      ...FULL,
      job: {
        extraEnv: [
          { name: 'MY_HOME', value: 'x' },
          { name: 'home', value: 'x' },
        ],
      },
    },
    [],
  ],

  [
    'a volume',
    {
      ...FULL,
      job: {
        extraVolumes: [{ name: 'mine', emptyDir: {} }],
        extraVolumeMounts: [{ name: 'mine', mountPath: '/tmp/mine' }],
      },
    },
    [],
  ],
  [
    'a volume with a name of ours',
    {
      ...FULL,
      job: {
        extraVolumes: [
          { name: 'mine', emptyDir: {} },
          { name: 'tmp', emptyDir: {} },
        ],
      },
    },
    ['job.extraVolumes[1]'],
  ],
  [
    'a mount over a folder of ours',
    { ...FULL, job: { extraVolumeMounts: [{ name: 'mine', mountPath: '/runner/' }] } },
    ['job.extraVolumeMounts[0]'],
  ],
];

describe.concurrent('guards', () => {
  test.each(cases)('%s', askGuards);

  test('say everything at once', async () => {
    const lines = (
      await refuse({ aicrVersion: 'latest', aicrSha256: 'x', job: { extraEnv: [{ name: 'HOME' }] } })
    ).split('\n');
    expect(lines.map((line) => line.split(': ')[0])).toEqual([
      'accelerator',
      'aicrVersion',
      'aicrSha256',
      'job.extraEnv[0]',
    ]);
  });

  test('name the release in which k0sContainerd went, and what stands for it', async () => {
    const text = await refuse({ ...FULL, environment: { k0sContainerd: true } });
    expect(text).toContain('environment.k0sContainerd was removed in chart 0.3.0');
    expect(text).toContain('service: k0s');
  });

  test.each([
    ['a data pack', { dataPack: 'joe:hunter2@r.example/p' }],
    ['a data pack with a scheme', { dataPack: 'https://joe:hunter2@r.example/p:1' }],
    ['a data pack with a blank', { dataPack: 'joe:hunter2@r.example/p :1' }],
    ['a mirror', { ...FULL, aicrSource: { baseUrl: 'https://joe:hunter2@m.example/a' } }],
  ])('do not show the password in the address of %s', async (_name, values) => {
    expect(await refuse(values)).not.toContain('hunter2');
  });

  test('do not show the credential they refuse', async () => {
    const text = await refuse({
      ...FULL,
      dataPackSecret: 's',
      dataPackAuth: { dockerconfigjson: 'hunter2' },
    });
    expect(text.split('\n')).toHaveLength(2);
    expect(text).not.toContain('hunter2');
  });

  test('give the reference without its scheme', async () => {
    expect(await refuse({ dataPack: 'oci://r.example:5000/p:1' })).toMatch(/: r\.example:5000\/p:1$/);
  });
});
