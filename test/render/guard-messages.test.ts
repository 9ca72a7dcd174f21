import { describe, expect, test } from 'vitest';
import { chart } from './chart.ts';
import { askForWords, type GuardCase } from './guards.ts';
import { FULL, helm, refuse, render, valuesFile } from './helm.ts';

const HEX = 'a'.repeat(63);

const withEnv = (...extraEnv: readonly object[]): object => ({ ...FULL, job: { extraEnv } });

const CRITERIA =
  'set accelerator (for example h100), or dataPack, or a concrete service together with intent';

const messages: readonly GuardCase[] = [
  ['no criteria', {}, [`accelerator: no criteria are stated; ${CRITERIA}`]],
  [
    'accelerator any alone',
    { accelerator: 'Any' },
    [`accelerator: Any counts as not stated, and nothing else is; ${CRITERIA}`],
  ],
  [
    'an intent without a service',
    { accelerator: 'h100', intent: 'inference' },
    [
      'intent: inference is refused by aicr with service any; set service to one that has a recipe for it (aks, bcm, cks, eks, gke, k0s, kind, lke, ocp, oke, rke2), or set dataPack, or leave intent empty',
    ],
  ],
  [
    'a data pack with a scheme',
    { dataPack: 'oci://r.example//p:1' },
    ['dataPack: oci://r.example//p:1 has a scheme; write the reference without it: r.example//p:1'],
  ],
  [
    'a data pack with a blank',
    { dataPack: 'r.example/p\t:1' },
    [
      'dataPack: "r.example/p\\t:1" has a blank in it; write registry/repository:tag or registry/repository@sha256:digest',
    ],
  ],
  [
    'two credentials, one of them broken',
    { ...FULL, dataPackSecret: 's', dataPackAuth: { dockerconfigjson: 'x' } },
    [
      'dataPackAuth.dockerconfigjson: stands beside dataPackSecret; give one of the two',
      'dataPackAuth.dockerconfigjson: is not a JSON object; give the text of a docker config.json as it is, not base64',
    ],
  ],
  ...(
    [
      ['number', '1.10'],
      ['boolean', 'on'],
      ['list', '[v1.2.0]'],
      ['map', '{v1.2.0: x}'],
    ] as const
  ).map(
    ([kind, value]) =>
      [
        `a version that is a ${kind}`,
        `accelerator: h100\naicrVersion: ${value}\n`,
        [`aicrVersion: is a ${kind}, in which zeros get lost; quote it, for example "v1.2.0"`],
      ] as const,
  ),
  [
    'a version that is no tag',
    { ...FULL, aicrVersion: 'v1"2' },
    ['aicrVersion: "v1\\"2" is not a release tag; write all three numbers, for example v1.2.0'],
  ],
  ...(
    [
      ['text', HEX],
      ['list', [HEX]],
      ['number', 12],
      ['boolean', true],
    ] as const
  ).map(
    ([kind, aicrSha256]) =>
      [
        `a pin for all that is a ${kind}`,
        { ...FULL, aicrSha256 },
        [
          `aicrSha256: is a ${kind}, but each CPU kind has its own archive; write {amd64: <sha256>, arm64: <sha256>}`,
        ],
      ] as const,
  ),
  [
    'pins of every wrong kind',
    { ...FULL, aicrSha256: { amd64: 12, arm64: { x: 1 }, riscv: HEX } },
    [
      'aicrSha256.amd64: is a number; quote it',
      'aicrSha256.arm64: is a map; quote it',
      'aicrSha256.riscv: is not a CPU kind that aicr is released for; use amd64 or arm64',
    ],
  ],
  [
    'a pin that is too short',
    { ...FULL, aicrSha256: { amd64: 'ab"' } },
    [
      'aicrSha256.amd64: "ab\\"" is not a sha256; write its 64 hexadecimal digits, with or without sha256: in front',
    ],
  ],
  [
    'k0sContainerd',
    { ...FULL, environment: { k0sContainerd: true } },
    [
      'environment.k0sContainerd: environment.k0sContainerd was removed in chart 0.3.0; remove it and use service: k0s, which sets the same containerd paths',
    ],
  ],
  [
    'names that are none',
    { ...FULL, recipeConfigMap: 'A"', statusConfigMap: 's'.repeat(254) },
    [
      'recipeConfigMap: "A\\"" is not a name for a ConfigMap; use lower-case letters, digits, - and .',
      'statusConfigMap: has 254 characters; use 253 at most',
    ],
  ],
  [
    'a result that has no room for a number',
    { ...FULL, recipeConfigMap: 'r'.repeat(249) },
    ['recipeConfigMap: has 249 characters; use 248 at most'],
  ],
  [
    'names of the chart itself',
    { ...FULL, recipeConfigMap: 'rel-run-0123456789', statusConfigMap: 'rel-runner-0123456789' },
    ['rel-run-0123456789', 'rel-runner-0123456789'].map(
      (name, index) =>
        `${['recipeConfigMap', 'statusConfigMap'][index]}: ${name} could be the name of a ConfigMap of the chart itself; choose another`,
    ),
  ],
  [
    'one name twice',
    { ...FULL, recipeConfigMap: 'same', statusConfigMap: 'same' },
    ['statusConfigMap: same is the name in recipeConfigMap too; give each its own'],
  ],
  [
    'the name of a part',
    { ...FULL, recipeConfigMap: 'r', statusConfigMap: 'r-12' },
    ['statusConfigMap: r-12 could be the name of a part of recipeConfigMap, r; choose another'],
  ],
  [
    'no namespace for the Lease',
    { ...FULL, lock: { namespace: '' } },
    [
      'lock.namespace: is empty, but the Lease must be somewhere; name a namespace, the same in every release of the cluster',
    ],
  ],
  ...['Kube-System', 'a.b', '-a', 'a-', 'a'.repeat(64)].map(
    (namespace): GuardCase => [
      `the namespace ${namespace} for the Lease`,
      { ...FULL, lock: { namespace } },
      [
        `lock.namespace: "${namespace}" is not a name for a namespace; use lower-case letters, digits and -, 63 characters at most`,
      ],
    ],
  ),
  [
    'variables',
    withEnv({ name: 'HOME' }, { name: 'A' }, { name: 'A' }, { name: 'B', value: '', valueFrom: {} }),
    [
      'job.extraEnv[0]: HOME is a variable that the installer sets or must not inherit; remove it',
      'job.extraEnv[2]: A is named twice; keep one',
      'job.extraEnv[3]: B has both value and valueFrom; keep one',
    ],
  ],
];

/** Volumes and folders that are the chart's own. */
const VOLUMES = ['program', 'run-spec', 'runner', 'tmp', 'api-access'];
const SECRET_VOLUMES = ['pack-auth', 'publish-auth', 'identity-token'];
const FOLDERS = ['/program', '/run-spec', '/runner', '/tmp', '/var/run/secrets/kubernetes.io/serviceaccount'];
const SECRET_FOLDERS = ['/secrets/pack', '/secrets/publish', '/secrets/identity-token'];

describe.concurrent('guards say, word for word,', () => {
  test.each(messages)('what is wrong with %s', askForWords);

  test('which volumes are taken', async () => {
    const names = ['free', ...VOLUMES, ...SECRET_VOLUMES];
    const text = await refuse({ ...FULL, job: { extraVolumes: names.map((name) => ({ name })) } });
    expect(text.split('\n')).toEqual(
      names
        .map(
          (name, index) =>
            `job.extraVolumes[${index}]: ${name} is a volume of the chart; choose another name`,
        )
        .slice(1),
    );
  });

  test('which folders are taken, with a slash behind or without', async () => {
    const paths = ['/free', ...FOLDERS, ...SECRET_FOLDERS].flatMap((folder) => [folder, `${folder}/`]);
    const text = await refuse({
      ...FULL,
      job: { extraVolumeMounts: paths.map((mountPath) => ({ name: 'free', mountPath })) },
    });
    expect(text.split('\n')).toEqual(
      paths
        .map(
          (mountPath, index) =>
            `job.extraVolumeMounts[${index}]: ${mountPath} is a folder of the installer; choose another`,
        )
        .slice(2),
    );
  });

  test('nothing around their lines', async () => {
    const { stderr } = await helm(4, ['template', 'rel', chart, '-f', valuesFile({ aicrVersion: 'x' })]);
    const [first = '', ...rest] = stderr.split('\n');
    expect(first).toMatch(/^Error: execution error at \(nvidia-aicr\/templates\/guards\.yaml:[0-9:]+\): $/);
    expect(rest.slice(0, 5)).toEqual([
      '',
      `accelerator: no criteria are stated; ${CRITERIA}`,
      'aicrVersion: "x" is not a release tag; write all three numbers, for example v1.2.0',
      '',
      '',
    ]);
  });
});

describe.concurrent('guards let through', () => {
  test.each([
    ['a data pack with :// further on', { dataPack: 'r.example/p://1' }],
    ['an environment that is null', { ...FULL, environment: null }],
    [
      'a name that only looks like one of the chart',
      { ...FULL, fullnameOverride: 'a.b', recipeConfigMap: 'axb-run-0123456789' },
    ],
    ['a name that only looks like a part', { ...FULL, recipeConfigMap: 'a.b', statusConfigMap: 'axb-1' }],
    [
      'a mount without a path, which Kubernetes refuses',
      { ...FULL, job: { extraVolumeMounts: [{ name: 'x' }] } },
    ],
  ])('%s', async (_name, values) => {
    expect((await render(values)).job.kind).toBe('Job');
  });

  test.each([
    ['a service in capitals', { service: 'ANY', intent: 'training' }],
    ['no service', { service: '', intent: 'training' }],
  ])('no intent with %s', async (_name, values) => {
    const lines = (await refuse(values)).split('\n');
    expect(lines.map((line) => line.split(': ')[0])).toEqual(['accelerator', 'intent']);
  });

  test.each(['release-v1.2.0', 'v1.2.0/x', 'v1.2.0.4'])('no version %s', async (aicrVersion) => {
    expect(await refuse({ ...FULL, aicrVersion })).toMatch(/^aicrVersion: "/);
  });
});
