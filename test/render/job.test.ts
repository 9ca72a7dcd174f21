import { describe, expect, test } from 'vitest';
import { POD } from '../../src/contract/index.ts';
import { type Any, FULL, refuse, render } from './helm.ts';
import {
  CONFINED,
  containersOf,
  ENV,
  job,
  LOADER,
  MOUNTS,
  NODE,
  ORAS,
  packAuth,
  podOf,
  volumes,
} from './pod.ts';

describe.concurrent('the Job', () => {
  test('is, by default, exactly this', async () => {
    const rendered = await render(FULL);
    const names = {
      run: rendered.configMapWith('run.json').metadata.name,
      runner: rendered.objects.find((object) => object.binaryData !== undefined).metadata.name,
    };
    expect(rendered.job.metadata.annotations).toBeUndefined();
    expect(rendered.job.spec).toEqual({
      activeDeadlineSeconds: 10800,
      backoffLimit: 0,
      podReplacementPolicy: 'Failed',
      podFailurePolicy: {
        rules: [
          { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
          { action: 'FailJob', onExitCodes: { containerName: 'installer', operator: 'NotIn', values: [0] } },
        ],
      },
      template: {
        metadata: {
          labels: { 'app.kubernetes.io/component': 'installer', 'nvidia-aicr/release': 'rel' },
          annotations: {
            'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
            'karpenter.sh/do-not-disrupt': 'true',
            'kubectl.kubernetes.io/default-container': 'installer',
          },
        },
        spec: {
          restartPolicy: 'Never',
          terminationGracePeriodSeconds: 120,
          serviceAccountName: 'rel-installer',
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          nodeSelector: { 'kubernetes.io/os': 'linux' },
          affinity: {
            nodeAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [
                {
                  weight: 100,
                  preference: {
                    matchExpressions: [
                      { key: 'nvidia.com/gpu.present', operator: 'DoesNotExist' },
                      { key: 'feature.node.kubernetes.io/pci-10de.present', operator: 'DoesNotExist' },
                      { key: 'cloud.google.com/gke-accelerator', operator: 'DoesNotExist' },
                      { key: 'k8s.amazonaws.com/accelerator', operator: 'DoesNotExist' },
                    ],
                  },
                },
              ],
            },
          },
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 65532,
            runAsGroup: 65532,
            fsGroup: 65532,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          initContainers: [NODE],
          containers: [
            {
              ...CONFINED,
              name: POD.mainContainer,
              image:
                'alpine/k8s:1.34.0@sha256:b5f6edfeac5279f3e182d938d1ffecb62f7c980756ac4b6b66d7f0d566782f77',
              command: [...LOADER, `${POD.runnerDir}/runner.mjs`],
              env: ENV,
              volumeMounts: MOUNTS,
            },
          ],
          volumes: volumes(names),
        },
      },
    });
  });

  test('fetches oras for a data pack', async () => {
    const { pod, installer } = await render({ ...FULL, dataPack: 'r.example/p:1' });
    expect(pod.initContainers).toEqual([NODE, ORAS]);
    expect(installer.volumeMounts).toEqual(MOUNTS);
    expect(pod.volumes.map((volume: Any) => volume.name)).not.toContain('pack-auth');
  });

  test.each([
    ['that is there', { dataPackSecret: 'pull' }, 'pull'],
    ['that the chart makes', { dataPackAuth: { dockerconfigjson: '{}' } }, 'rel-pack-auth'],
  ])("mounts the data pack's Secret %s", async (_name, values, secret) => {
    const { pod, installer } = await render({ ...FULL, dataPack: 'r.example/p:1', ...values });
    expect(pod.volumes.at(-1)).toEqual(packAuth(secret));
    expect(installer.volumeMounts).toEqual([
      ...MOUNTS,
      { name: 'pack-auth', mountPath: POD.packAuthDir, readOnly: true },
    ]);
    expect(pod.initContainers).toEqual([NODE, ORAS]);
  });

  test('mounts no Secret without a data pack', async () => {
    const { pod } = await render({ ...FULL, dataPackSecret: 'pull' });
    expect(pod.volumes.map((volume: Any) => volume.name)).not.toContain('pack-auth');
  });

  test('takes other images, for each container its own', async () => {
    const { pod } = await render({
      ...FULL,
      dataPack: 'r.example/p',
      nodeImage: 'r.example/node:1',
      orasImage: 'r.example/oras@sha256:00',
      runtimeImage: 'r.example:5000/runtime',
      imagePullPolicy: 'Always',
    });
    expect(
      containersOf(pod).map(({ name, image, imagePullPolicy }) => [name, image, imagePullPolicy]),
    ).toEqual([
      ['node', 'r.example/node:1', 'Always'],
      ['oras', 'r.example/oras@sha256:00', 'Always'],
      ['installer', 'r.example:5000/runtime', 'Always'],
    ]);
  });

  test('takes pull secrets as names and as objects', async () => {
    const { pod } = await render({ ...FULL, imagePullSecrets: ['one', { name: 'two' }] });
    expect(pod.imagePullSecrets).toEqual([{ name: 'one' }, { name: 'two' }]);
  });

  test.each([
    ['an empty name', ''],
    ['an empty name in an object', { name: '' }],
    ['no name', {}],
    ['null for a name', { name: null }],
    ['a number for a name', { name: 7 }],
    ['more than a name', { name: 'one', namespace: 'other' }],
    ['a list', ['one']],
  ])('takes no pull secret with %s', async (_name, secret) => {
    expect(await refuse({ ...FULL, imagePullSecrets: [secret] })).toMatch(/at '\/imagePullSecrets\/0/);
  });

  test('takes its own settings', async () => {
    const { spec } = await job({
      activeDeadlineSeconds: 60,
      ttlSecondsAfterFinished: 600,
      terminationGracePeriodSeconds: 45,
    });
    expect(spec).toMatchObject({ activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 600 });
    expect(spec.template.spec.terminationGracePeriodSeconds).toBe(45);
  });

  test('replaces failed pods when it is told to', async () => {
    const { spec } = await job({ backoffLimit: 2 });
    expect(spec.backoffLimit).toBe(2);
    expect(spec.podFailurePolicy.rules).toEqual([
      { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
    ]);
  });

  test('can be placed', async () => {
    const toleration = { key: 'kubernetes.io/arch', value: 'arm64', effect: 'NoSchedule' };
    const affinity = { podAntiAffinity: {} };
    const pod = await podOf({
      nodeSelector: { 'kubernetes.io/arch': 'arm64', pool: 7, fast: true },
      tolerations: [toleration],
      affinity,
      priorityClassName: 'system-cluster-critical',
      runtimeClassName: 'gvisor',
      hostAliases: [{ ip: '10.0.0.1', hostnames: ['a.example'] }],
    });
    expect(pod).toMatchObject({
      tolerations: [toleration],
      priorityClassName: 'system-cluster-critical',
      runtimeClassName: 'gvisor',
      hostAliases: [{ ip: '10.0.0.1', hostnames: ['a.example'] }],
    });
    expect(pod.affinity).toEqual(affinity);
    expect(pod.nodeSelector).toEqual({
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'arm64',
      pool: '7',
      fast: 'true',
    });
  });

  test('has annotations and labels for policies and meshes', async () => {
    const { metadata, spec } = await job({
      annotations: { 'argocd.argoproj.io/sync-wave': 5 },
      podLabels: {
        'cost-centre': '42',
        number: 43,
        'app.kubernetes.io/component': 'other',
        'nvidia-aicr/release': 'other',
      },
      podAnnotations: {
        'example.com/port': 8181,
        'cluster-autoscaler.kubernetes.io/safe-to-evict': true,
        'example.com/mode': '0600',
      },
    });
    expect(metadata.annotations).toEqual({ 'argocd.argoproj.io/sync-wave': '5' });
    expect(spec.template.metadata).toEqual({
      labels: {
        'app.kubernetes.io/component': 'installer',
        'nvidia-aicr/release': 'rel',
        'cost-centre': '42',
        number: '43',
      },
      annotations: {
        'cluster-autoscaler.kubernetes.io/safe-to-evict': 'true',
        'karpenter.sh/do-not-disrupt': 'true',
        'kubectl.kubernetes.io/default-container': 'installer',
        'example.com/port': '8181',
        'example.com/mode': '0600',
      },
    });
  });
});
