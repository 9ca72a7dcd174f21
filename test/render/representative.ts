import { readdir, readFile } from 'node:fs/promises';
import { FULL } from './helm.ts';

const examples = new URL('../../examples/', import.meta.url);

/** Everything that the chart can put into the pod, and every object that it can make. */
const EVERYTHING = {
  ...FULL,
  platform: 'kubeflow',
  dataPack: 'r.example:5000/pack@sha256:01',
  dataPackAuth: { dockerconfigjson: '{"auths":{}}' },
  imagePullSecrets: ['one', { name: 'two' }],
  deployFlags: '--retries 1',
  validate: {
    enabled: true,
    phases: ['all'],
    emitEvidence: true,
    publish: {
      enabled: true,
      ref: 'r.example/proof',
      identityTokenSecret: { name: 'identity' },
      registrySecret: 'push',
    },
  },
  job: {
    activeDeadlineSeconds: 1_000_000,
    terminationGracePeriodSeconds: 45,
    ttlSecondsAfterFinished: 0,
    resources: { requests: { cpu: 1, memory: '256Mi', 'ephemeral-storage': '1Gi' }, limits: { cpu: '2' } },
    tmpSizeLimit: 4_000_000_000,
    nodeSelector: { 'kubernetes.io/arch': 'arm64', pool: 7 },
    tolerations: [{ key: 'kubernetes.io/arch', operator: 'Equal', value: 'arm64', effect: 'NoSchedule' }],
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { a: 'b' } } },
        ],
      },
    },
    priorityClassName: 'system-cluster-critical',
    hostAliases: [{ ip: '10.0.0.5', hostnames: ['mirror.example.com'] }],
    extraEnv: [
      { name: 'TEXT', value: '$(HOME) "a" \n b' },
      { name: 'NUMBER', value: 8_388_608 },
      { name: 'SECRET', valueFrom: { secretKeyRef: { name: 's', key: 'k', optional: true } } },
    ],
    extraEnvFrom: [{ configMapRef: { name: 'site', optional: true } }],
    extraVolumes: [{ name: 'overrides', configMap: { name: 'aicr-overrides' } }],
    extraVolumeMounts: [{ name: 'overrides', mountPath: '/overrides', readOnly: true }],
    annotations: { 'argocd.argoproj.io/sync-wave': 5 },
    podLabels: { 'sidecar.istio.io/inject': false },
    podAnnotations: { 'example.com/mode': '0600' },
  },
  commonLabels: { team: 'platform' },
  commonAnnotations: { 'example.com/owner': 'platform' },
  serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/x' } },
} as const;

/** One values file, and what it makes. */
export interface Representative {
  readonly name: string;
  /** As text, or as an object. */
  readonly values: string | object;
  /** Kind and name of each object; a hash is HASH. */
  readonly objects: readonly string[];
}

/** What an ordinary installation is made of. */
const ORDINARY = [
  'ClusterRoleBinding rel-HASH',
  'ConfigMap rel-run-HASH',
  'ConfigMap rel-runner-HASH',
  'Job rel-install-HASH',
  'ServiceAccount rel-installer',
] as const;
const PACK_AUTH = 'Secret rel-pack-auth';

const files = (await readdir(examples)).filter((file) => file.endsWith('.yaml')).sort();

/** Values as people write them: every example, and the corners of the contract. */
export const REPRESENTATIVE: readonly Representative[] = [
  ...(await Promise.all(
    files.map(async (file) => ({
      name: `examples/${file}`,
      values: await readFile(new URL(file, examples), 'utf8'),
      objects: ORDINARY,
    })),
  )),
  { name: 'everything at once', values: EVERYTHING, objects: [...ORDINARY, PACK_AUTH].sort() },
  {
    name: "another build of aicr from a mirror, over another's releases",
    values: {
      ...FULL,
      aicrVersion: 'v2.0.0-rc.1+build.5',
      aicrArch: 'arm64',
      aicrSha256: { arm64: `SHA256:${'0A'.repeat(32)}` },
      aicrSource: { baseUrl: 'https://mirror.example.com/aicr/' },
      deploy: { existingReleases: 'adopt', allowDowngrade: true },
      upgradeCheck: { enabled: false },
    },
    objects: ORDINARY,
  },
  {
    name: "another's ServiceAccount and rights",
    values: { ...FULL, serviceAccount: { create: false, name: 'mine' }, rbac: { create: false } },
    objects: ORDINARY.filter((one) => !/^(ClusterRoleBinding|ServiceAccount)/.test(one)),
  },
  {
    name: 'another name',
    values: { ...FULL, fullnameOverride: 'gpu.stack', nameOverride: 'other' },
    objects: ORDINARY.map((one) =>
      one.replace('rel-install-', 'gpu-stack-install-').replace(' rel-', ' gpu.stack-'),
    ),
  },
];
