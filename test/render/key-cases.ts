import { createHash } from 'node:crypto';
import { FULL } from './helm.ts';
import { JOB_KEY_CASES } from './job-key-cases.ts';
import { type KeyCase, NO_EFFECT, RefusedBy } from './key-case.ts';

const PACK = { ...FULL, dataPack: 'r.example/p:1' };
const VALIDATED = { ...FULL, validate: { enabled: true } };
const PUBLISH = { enabled: true, ref: 'r.example/proof', identityTokenSecret: { name: 'identity' } };
const PUBLISHED = { ...FULL, validate: { enabled: true, emitEvidence: true, publish: PUBLISH } };
const UNSIGNED = {
  ...FULL,
  validate: { enabled: true, emitEvidence: true, publish: { ...PUBLISH, mode: 'unsigned' } },
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const AUTH = '{"auths":{}}';

/**
 * What keys.test.ts asks of each key, beside what run-cases.ts says of those that go into run.json. A key may show in
 * several places. What a schema calls an edge (false, 0, an empty text, list or map, each word of an enum) needs a
 * case when it is not the default; in run.json an edge is seen as it is when nothing else is said here.
 */
export const KEY_CASES: Readonly<Record<string, readonly KeyCase[]>> = {
  // Without an intent, which a service must be there for.
  service: [{ base: { accelerator: 'h100' }, seen: [['', '']] }],
  dataPack: [{ at: 'oras name', default: undefined, seen: [['r.example/p', 'oras']] }],
  dataPackSecret: [
    { base: PACK, seen: [['pull', 'pull']] },
    {
      base: PACK,
      at: 'pod volumes pack-auth secret secretName',
      default: undefined,
      seen: [['pull', 'pull']],
    },
    // Nothing is pulled.
    { seen: [['pull', '']] },
  ],
  'dataPackAuth.dockerconfigjson': [
    { base: PACK, seen: [[AUTH, sha256(AUTH)]] },
    { base: PACK, at: 'kinds Secret', default: undefined, seen: [[AUTH, 1]] },
    { base: PACK, at: 'runSpec pack secret', default: '', seen: [[AUTH, 'rel-pack-auth']] },
  ],
  aicrSha256: [
    {
      seen: [
        [{}, { amd64: '', arm64: '' }],
        [{ amd64: '' }, { amd64: '', arm64: '' }],
        ['', new RefusedBy('aicrSha256')],
      ],
    },
  ],
  aicrVersion: [{ seen: [['', new RefusedBy('aicrVersion')]] }],
  'environment.k0sContainerd': [
    {
      seen: [
        [true, new RefusedBy('environment.k0sContainerd')],
        ['false', new RefusedBy('environment.k0sContainerd')],
        [false, NO_EFFECT],
      ],
    },
  ],
  'deploy.enabled': [{ base: VALIDATED, seen: [] }, { seen: [[false, new RefusedBy('deploy.enabled')]] }],
  'validate.phases': [{ base: VALIDATED, seen: [[[], new RefusedBy('validate.phases')]] }, { seen: [] }],
  'validate.resultConfigMap': [{ seen: [['', new RefusedBy('validate.resultConfigMap')]] }],
  'validate.evidenceConfigMap': [{ seen: [['', new RefusedBy('validate.evidenceConfigMap')]] }],
  'validate.publish.enabled': [
    { base: PUBLISHED, seen: [[true, true]] },
    {
      base: PUBLISHED,
      at: 'pod volumes identity-token secret secretName',
      default: undefined,
      seen: [
        [true, 'identity'],
        [false, undefined],
      ],
    },
  ],
  'validate.publish.mode': [
    {
      base: PUBLISHED,
      seen: [
        ['unsigned', 'unsigned'],
        ['', new RefusedBy('validate.publish.mode')],
      ],
    },
  ],
  'validate.publish.ref': [{ base: PUBLISHED, default: new RefusedBy('validate.publish.ref'), seen: [] }],
  'validate.publish.identityTokenSecret.name': [
    {
      base: PUBLISHED,
      default: new RefusedBy('validate.publish.identityTokenSecret.name'),
      seen: [['other', 'other']],
    },
    { base: UNSIGNED, seen: [['other', '']] },
  ],
  'validate.publish.identityTokenSecret.key': [
    { seen: [['', new RefusedBy('validate.publish.identityTokenSecret.key')]] },
  ],
  'validate.publish.registrySecret': [
    { base: UNSIGNED, seen: [['push', 'push']] },
    {
      base: UNSIGNED,
      at: 'pod volumes publish-auth secret secretName',
      default: undefined,
      seen: [['push', 'push']],
    },
  ],
  'lock.namespace': [{ seen: [['', new RefusedBy('lock.namespace')]] }],
  'lock.waitSeconds': [{ default: null, seen: [] }],
  statusConfigMap: [{ default: 'rel-status', seen: [['', 'rel-status']] }],
  runId: [
    {
      seen: [
        [true, 'true'],
        [false, 'false'],
        [0, '0'],
        [' ', ' '],
      ],
    },
  ],

  runtimeImage: [{ at: 'installer image', seen: [['r.example/runtime', 'r.example/runtime']] }],
  nodeImage: [{ at: 'node image', seen: [['r.example/node', 'r.example/node']] }],
  orasImage: [{ base: PACK, at: 'oras image', seen: [['r.example/oras', 'r.example/oras']] }],
  imagePullSecrets: [
    {
      at: 'pod imagePullSecrets',
      default: undefined,
      seen: [
        [
          ['a', { name: 'b' }],
          [{ name: 'a' }, { name: 'b' }],
        ],
      ],
    },
  ],
  imagePullPolicy: [
    {
      at: 'node imagePullPolicy',
      seen: [
        ['Always', 'Always'],
        ['Never', 'Never'],
      ],
    },
  ],

  ...JOB_KEY_CASES,

  nameOverride: [
    { at: 'job metadata labels app.kubernetes.io/name', default: 'nvidia-aicr', seen: [['gpu', 'gpu']] },
  ],
  fullnameOverride: [
    { at: 'account metadata name', default: 'rel-installer', seen: [['gpu', 'gpu-installer']] },
  ],
  commonLabels: [
    {
      at: 'program metadata labels team',
      default: undefined,
      seen: [
        [{ team: true }, 'true'],
        [{ team: '' }, ''],
      ],
    },
  ],
  commonAnnotations: [
    {
      at: 'run metadata annotations',
      default: undefined,
      seen: [
        [
          { a: 0, b: '' },
          { a: '0', b: '' },
        ],
      ],
    },
  ],

  'serviceAccount.create': [{ at: 'kinds ServiceAccount', default: 1, seen: [[false, undefined]] }],
  'serviceAccount.name': [
    { at: 'pod serviceAccountName', default: 'rel-installer', seen: [['mine', 'mine']] },
    {
      base: { ...FULL, serviceAccount: { create: false } },
      at: 'pod serviceAccountName',
      default: 'default',
      seen: [['mine', 'mine']],
    },
  ],
  'serviceAccount.annotations': [
    { at: 'account metadata annotations', default: undefined, seen: [[{ role: 'arn' }, { role: 'arn' }]] },
  ],
  'rbac.create': [{ at: 'kinds ClusterRoleBinding', default: 1, seen: [[false, undefined]] }],
  'rbac.clusterRole': [{ at: 'binding roleRef name', default: 'cluster-admin', seen: [['edit', 'edit']] }],

  global: [
    {
      seen: [
        [{ imageRegistry: 'r.example' }, NO_EFFECT],
        [{}, NO_EFFECT],
      ],
    },
  ],
  enabled: [
    {
      seen: [
        [true, NO_EFFECT],
        [false, NO_EFFECT],
      ],
    },
  ],
};
