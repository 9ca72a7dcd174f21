import { FULL } from './helm.ts';
import type { KeyCase } from './key-case.ts';
import { RESOURCES } from './pod.ts';

const PACK = { ...FULL, dataPack: 'r.example/p:1' };
const TOLERATION = { key: 'nvidia.com/gpu', operator: 'Exists' };
const ALIAS = { ip: '10.0.0.1', hostnames: ['a.example'] };

/** The part of KEY_CASES that is about the Job and its pod. */
export const JOB_KEY_CASES: Readonly<Record<string, readonly KeyCase[]>> = {
  'job.rerunOnUpgrade': [
    { default: 0, seen: [] },
    { at: 'runSpec run revision', default: 0, seen: [[false, 0]] },
  ],
  'job.activeDeadlineSeconds': [
    {
      at: 'job spec activeDeadlineSeconds',
      seen: [
        [1, 1],
        [1_000_000, 1_000_000],
      ],
    },
  ],
  'job.terminationGracePeriodSeconds': [
    {
      at: 'pod terminationGracePeriodSeconds',
      seen: [
        [1, 1],
        [600, 600],
      ],
    },
  ],
  'job.ttlSecondsAfterFinished': [
    {
      at: 'job spec ttlSecondsAfterFinished',
      default: undefined,
      seen: [
        [0, 0],
        [86_400, 86_400],
      ],
    },
  ],
  'job.backoffLimit': [{ at: 'job spec backoffLimit', seen: [[3, 3]] }],
  'job.resources': [
    {
      at: 'oras resources',
      base: PACK,
      default: RESOURCES,
      seen: [
        [{}, RESOURCES],
        [{ limits: { cpu: 0 } }, { ...RESOURCES, limits: { ...RESOURCES.limits, cpu: '0' } }],
      ],
    },
  ],
  'job.tmpSizeLimit': [
    {
      at: 'pod volumes tmp emptyDir sizeLimit',
      seen: [
        ['8Gi', '8Gi'],
        [0, '0'],
      ],
    },
  ],
  'job.nodeSelector': [
    {
      at: 'pod nodeSelector pool',
      default: undefined,
      seen: [
        [{ pool: 7 }, '7'],
        [{ pool: '' }, ''],
      ],
    },
    {
      at: 'pod nodeSelector kubernetes.io/os',
      default: 'linux',
      seen: [[{ 'kubernetes.io/os': 'windows' }, 'windows']],
    },
  ],
  'job.tolerations': [{ at: 'pod tolerations', default: undefined, seen: [[[TOLERATION], [TOLERATION]]] }],
  'job.affinity': [
    { at: 'pod affinity podAntiAffinity', default: undefined, seen: [[{ podAntiAffinity: {} }, {}]] },
    {
      at: 'pod affinity nodeAffinity preferredDuringSchedulingIgnoredDuringExecution 0 weight',
      default: 100,
      seen: [[{ podAntiAffinity: {} }, undefined]],
    },
  ],
  'job.priorityClassName': [{ at: 'pod priorityClassName', default: undefined, seen: [['high', 'high']] }],
  'job.runtimeClassName': [{ at: 'pod runtimeClassName', default: undefined, seen: [['kata', 'kata']] }],
  'job.hostAliases': [{ at: 'pod hostAliases', default: undefined, seen: [[[ALIAS], [ALIAS]]] }],
  'job.extraEnv': [
    {
      at: 'installer env X value',
      default: undefined,
      seen: [
        [[{ name: 'X', value: 'x' }], 'x'],
        [[{ name: 'X', value: false }], 'false'],
        [[{ name: 'X', value: 0 }], '0'],
        [[{ name: 'X' }], ''],
      ],
    },
    {
      at: 'runSpec environment plain',
      default: [],
      seen: [[[{ name: 'X' }], ['X']]],
    },
  ],
  'job.extraEnvFrom': [
    {
      at: 'installer envFrom',
      default: undefined,
      seen: [[[{ configMapRef: { name: 'site' } }], [{ configMapRef: { name: 'site' } }]]],
    },
    {
      at: 'runSpec environment fromSecrets',
      default: false,
      seen: [[[{ secretRef: { name: 'logins' } }], true]],
    },
  ],
  'job.extraVolumes': [
    { at: 'pod volumes x emptyDir', default: undefined, seen: [[[{ name: 'x', emptyDir: {} }], {}]] },
  ],
  'job.extraVolumeMounts': [
    {
      at: 'installer volumeMounts x mountPath',
      default: undefined,
      seen: [[[{ name: 'x', mountPath: '/x' }], '/x']],
    },
  ],
  'job.podSecurityContext': [
    {
      at: 'pod securityContext runAsUser',
      default: 65532,
      seen: [
        [{}, 65532],
        [{ runAsUser: 0 }, 0],
        [{ runAsUser: '' }, undefined],
      ],
    },
  ],
  'job.securityContext': [
    {
      at: 'node securityContext readOnlyRootFilesystem',
      default: true,
      seen: [
        [{}, true],
        [{ readOnlyRootFilesystem: false }, false],
        [{ readOnlyRootFilesystem: '' }, undefined],
      ],
    },
  ],
  'job.annotations': [
    {
      at: 'job metadata annotations',
      default: undefined,
      seen: [
        [
          { wave: 5, off: false },
          { wave: '5', off: 'false' },
        ],
      ],
    },
  ],
  'job.podLabels': [
    {
      at: 'job spec template metadata labels team',
      default: undefined,
      seen: [
        [{ team: 0 }, '0'],
        [{ team: '' }, ''],
      ],
    },
  ],
  'job.podAnnotations': [
    {
      at: 'job spec template metadata annotations karpenter.sh/do-not-disrupt',
      default: 'true',
      seen: [[{ 'karpenter.sh/do-not-disrupt': false }, 'false']],
    },
  ],
};
