import { describe, expect, test } from 'vitest';
import { chart } from './chart.ts';
import { FULL, helm, refuse, render, valuesFile } from './helm.ts';

const HEX = 'a'.repeat(63);

const validated = (more: object): object => ({ ...FULL, validate: { enabled: true, ...more } });
const publishedTo = (ref: string): object =>
  validated({ emitEvidence: true, publish: { enabled: true, mode: 'unsigned', ref } });
const withEnv = (...extraEnv: readonly object[]): object => ({ ...FULL, job: { extraEnv } });

const CRITERIA =
  'set accelerator (for example h100), or dataPack, or a concrete service together with intent';
const NOT_A_FLAG = 'is a flag that the installer sets itself; remove it';

/** Values, and every line that the guards say to them. */
const messages: readonly (readonly [string, object | string, readonly string[]])[] = [
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
    'a run that does nothing',
    { ...FULL, deploy: { enabled: false } },
    [
      'deploy.enabled: is false, and so is validate.enabled, so the Job would do nothing; set one of the two to true',
    ],
  ],
  [
    'no phases',
    validated({ phases: [] }),
    [
      'validate.phases: is empty, so nothing would be validated; name deployment, performance, conformance, or all',
    ],
  ],
  [
    'a phase that is none',
    validated({ phases: ['all', 'g"u'] }),
    ['validate.phases[1]: "g\\"u" is not a phase; use deployment, performance, conformance, or all'],
  ],
  [
    'a publication of nothing',
    {
      ...FULL,
      validate: { publish: { enabled: true, mode: 'x"y', ref: '', identityTokenSecret: { key: 'a"' } } },
    },
    [
      'validate.publish.enabled: is true while validate.enabled is false, so there is no evidence; set validate.enabled to true, or this to false',
      'validate.publish.enabled: is true while validate.emitEvidence is false, so there is no evidence; set validate.emitEvidence to true, or this to false',
      'validate.publish.ref: is empty; set it to where the evidence goes, for example ghcr.io/acme/aicr-evidence',
      'validate.publish.mode: "x\\"y" is not a mode; use signed or unsigned',
      'validate.publish.identityTokenSecret.key: "a\\"" cannot be a key of a Secret; use letters, digits, -, _ and ., not .. in front',
    ],
  ],
  [
    'a signature without a token',
    validated({ emitEvidence: true, publish: { enabled: true, mode: 'signed', ref: 'r.example/a' } }),
    [
      'validate.publish.identityTokenSecret.name: is empty, but mode signed needs an identity token; name the Secret that holds one, or set validate.publish.mode to unsigned',
    ],
  ],
  ...(
    [
      ['oci://r.example//a', 'oci://r.example//a has a scheme; write the reference without it: r.example//a'],
      [
        'r.example/a\tb',
        '"r.example/a\\tb" has a blank in it; write registry/repository or registry/repository:tag',
      ],
      [
        'r.example/a@b',
        'has an @ in it; leave the digest out, which only the content can tell, and user names too',
      ],
      [
        'acme/a',
        'acme/a has no registry in front; write registry/repository, for example ghcr.io/acme/aicr-evidence',
      ],
      [
        'acme/r.example/a',
        'acme/r.example/a has no registry in front; write registry/repository, for example ghcr.io/acme/aicr-evidence',
      ],
      [
        'r.example/Acme',
        'r.example/Acme has capital letters in its repository; registries take it in lower case',
      ],
      ['r.example/a"', '"r.example/a\\"" is not an OCI reference; write host[:port]/repository[:tag]'],
      ['r.example/a://b', '"r.example/a://b" is not an OCI reference; write host[:port]/repository[:tag]'],
      ['r.example/a:b/C', '"r.example/a:b/C" is not an OCI reference; write host[:port]/repository[:tag]'],
    ] as const
  ).map(
    ([ref, fault]) => [`the reference ${ref}`, publishedTo(ref), [`validate.publish.ref: ${fault}`]] as const,
  ),
  [
    'flags for aicr validate',
    {
      ...(validated({ emitEvidence: true }) as object),
      validateFlags: '--recipe x  -o=y',
      validateArgs: ['--config=c', '--push', '--phase=all', '--no-cluster'],
    },
    [
      `validateFlags: --recipe ${NOT_A_FLAG}`,
      `validateFlags: -o=y ${NOT_A_FLAG}`,
      'validateArgs[0]: --config=c would bring settings past these values, another recipe among them; remove it and write what it says as flags',
      'validateArgs[1]: --push would publish without credentials, before the verdict is kept; use validate.publish',
      'validateArgs[2]: --phase=all would add to the phases; use validate.phases',
      'validateArgs[3]: --no-cluster checks nothing, and aicr refuses to make evidence of that; remove it, or set validate.emitEvidence to false',
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
    'no names for what was proven',
    validated({ resultConfigMap: '', evidenceConfigMap: '' }),
    ['evidenceConfigMap', 'resultConfigMap'].map(
      (key) => `validate.${key}: is empty, but what was proven must be kept somewhere; name a ConfigMap`,
    ),
  ],
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
  test.each(messages)('what is wrong with %s', async (_name, values, lines) => {
    // Helm may warn, in a line before its own, of a map that stands in the place of a text.
    const said = (await refuse(values)).split('\n').filter((line) => !line.startsWith('Error: '));
    expect(said).toEqual(lines);
  });

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

  test('no second line in another column when a value has a line break', async () => {
    const text = await refuse({ ...validated({}), validateArgs: ['--recipe=a\n   b: c'] });
    expect(text.split('\n')).toEqual(['validateArgs[0]: --recipe=a', `b: c ${NOT_A_FLAG}`]);
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
