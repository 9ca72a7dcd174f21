import { describe, expect, test } from 'vitest';
import { POD, POD_ENV } from '../../src/contract/index.ts';
import { type Any, FULL, render } from './helm.ts';

const RESOURCES = {
  requests: { cpu: '200m', memory: '256Mi', 'ephemeral-storage': '1Gi' },
  limits: { cpu: '1', memory: '2Gi', 'ephemeral-storage': '6Gi' },
};
const CONFINED = {
  imagePullPolicy: 'IfNotPresent',
  terminationMessagePolicy: 'FallbackToLogsOnError',
  resources: RESOURCES,
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  },
};
const NODE = {
  ...CONFINED,
  name: 'node',
  image:
    'docker.io/library/node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d',
  command: ['node', `${POD.programDir}/${POD.handoverKey}`, 'node'],
  volumeMounts: [
    { name: 'program', mountPath: POD.programDir, readOnly: true },
    { name: 'runner', mountPath: POD.runnerDir },
  ],
};
const LOADER = [`${POD.runnerDir}/loader`, '--library-path', POD.runnerDir, `${POD.runnerDir}/node`];
const ORAS = {
  ...CONFINED,
  name: 'oras',
  image:
    'ghcr.io/oras-project/oras:v1.2.0@sha256:0087224dd0decc354b5b0689068fbbc40cd5dc3dbf65fcb3868dfbd363dc790b',
  command: [...LOADER, `${POD.runnerDir}/${POD.handoverKey}`, 'oras'],
  volumeMounts: [{ name: 'runner', mountPath: POD.runnerDir }],
};

const field = (name: string, fieldPath: string) => ({
  name,
  valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } },
});
const ENV = [
  { name: 'HOME', value: '/tmp/home' },
  { name: 'TMPDIR', value: '/tmp' },
  { name: 'XDG_CACHE_HOME', value: '/tmp/home/.cache' },
  { name: 'XDG_CONFIG_HOME', value: '/tmp/home/.config' },
  { name: 'XDG_DATA_HOME', value: '/tmp/home/.local/share' },
  { name: 'HELM_CACHE_HOME', value: '/tmp/home/.cache/helm' },
  { name: 'HELM_CONFIG_HOME', value: '/tmp/home/.config/helm' },
  { name: 'HELM_DATA_HOME', value: '/tmp/home/.local/share/helm' },
  { name: 'NODE_EXTRA_CA_CERTS', value: `${POD.serviceAccountDir}/ca.crt` },
  field(POD_ENV.podName, 'metadata.name'),
  field(POD_ENV.podNamespace, 'metadata.namespace'),
  field(POD_ENV.podUid, 'metadata.uid'),
  field(POD_ENV.nodeName, 'spec.nodeName'),
  field(POD_ENV.jobName, "metadata.labels['batch.kubernetes.io/job-name']"),
];
const MOUNTS = [
  { name: 'runner', mountPath: POD.runnerDir, readOnly: true },
  { name: 'run-spec', mountPath: '/run-spec', readOnly: true },
  { name: 'tmp', mountPath: POD.workDir },
  { name: 'api-access', mountPath: POD.serviceAccountDir, readOnly: true },
];
const volumes = (names: { runner: string; run: string }): readonly Any[] => [
  { name: 'program', configMap: { name: names.runner } },
  { name: 'run-spec', configMap: { name: names.run } },
  { name: 'runner', emptyDir: { sizeLimit: '512Mi' } },
  { name: 'tmp', emptyDir: { sizeLimit: '4Gi' } },
  {
    name: 'api-access',
    projected: {
      sources: [
        { serviceAccountToken: { path: 'token', expirationSeconds: 3607 } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
          },
        },
      ],
    },
  },
];
const packAuth = (secretName: string) => ({
  name: 'pack-auth',
  secret: {
    secretName,
    optional: true,
    defaultMode: 0o440,
    items: [{ key: '.dockerconfigjson', path: POD.dockerConfigFile }],
  },
});

const job = async (values: object): Promise<Any> => (await render({ ...FULL, job: values })).job;
const podOf = async (values: object): Promise<Any> => (await job(values)).spec.template.spec;
const containersOf = (pod: Any): readonly Any[] => [...pod.initContainers, ...pod.containers];

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

  test('gives its resources to every container', async () => {
    const resources = {
      requests: { cpu: 1, memory: '256Mi', 'ephemeral-storage': '1Gi', 'example.com/thing': 0.5 },
      limits: { cpu: '2', memory: '512Mi', 'ephemeral-storage': '2Gi' },
    };
    const { pod } = await render({ ...FULL, dataPack: 'r.example/p', job: { resources } });
    for (const container of containersOf(pod)) expect(container.resources).toEqual(resources);
  });

  test('leaves a limit out that is null', async () => {
    const pod = await podOf({ resources: { limits: { cpu: null } } });
    const { cpu: _, ...limits } = RESOURCES.limits;
    expect(pod.containers[0].resources).toEqual({ ...RESOURCES, limits });
  });

  test.each([
    ['null', null],
    ['empty', ''],
  ])('lets the platform pick the user when the ids are %s', async (_name, nothing) => {
    const pod = await podOf({
      podSecurityContext: { runAsUser: nothing, runAsGroup: nothing, fsGroup: nothing },
      securityContext: { readOnlyRootFilesystem: nothing, capabilities: { drop: nothing } },
    });
    expect(pod.securityContext).toEqual({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    for (const container of containersOf(pod)) {
      expect(container.securityContext).toEqual({ allowPrivilegeEscalation: false });
    }
  });

  test('keeps false and 0 in the security contexts', async () => {
    const pod = await podOf({
      podSecurityContext: { runAsNonRoot: false, runAsUser: 0 },
      securityContext: { privileged: false },
    });
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: false, runAsUser: 0, fsGroup: 65532 });
    expect(pod.containers[0].securityContext.privileged).toBe(false);
  });

  test('limits /tmp as it is told', async () => {
    const pod = await podOf({ tmpSizeLimit: '64Mi' });
    expect(pod.volumes).toContainEqual({ name: 'tmp', emptyDir: { sizeLimit: '64Mi' } });
  });

  test('has more volumes for the installer', async () => {
    const volume = { name: 'overrides', configMap: { name: 'aicr-overrides' } };
    const mount = { name: 'overrides', mountPath: '/overrides', readOnly: true };
    const pod = await podOf({ extraVolumes: [volume], extraVolumeMounts: [mount] });
    expect(pod.volumes.at(-1)).toEqual(volume);
    expect(pod.containers[0].volumeMounts).toEqual([...MOUNTS, mount]);
    expect(pod.initContainers).toEqual([NODE]);
  });

  test('has more environment for the installer, behind its own', async () => {
    const secret = { secretKeyRef: { name: 's', key: '$(k)' } };
    const pod = await podOf({
      extraEnv: [
        { name: 'FEATURE_X', value: true },
        { name: 'LIMIT', value: 8_388_608 },
        { name: 'RATIO', value: 0.5 },
        { name: 'OFF', value: false },
        { name: 'ZERO', value: 0 },
        { name: 'MODE', value: '0600' },
        { name: 'NOTHING' },
        { name: 'SECRET', valueFrom: secret },
      ],
      extraEnvFrom: [{ secretRef: { name: 'aicr-env' } }],
    });
    expect(pod.containers[0].env).toEqual([
      ...ENV,
      { name: 'FEATURE_X', value: 'true' },
      { name: 'LIMIT', value: '8388608' },
      { name: 'RATIO', value: '0.5' },
      { name: 'OFF', value: 'false' },
      { name: 'ZERO', value: '0' },
      { name: 'MODE', value: '0600' },
      { name: 'NOTHING', value: '' },
      { name: 'SECRET', valueFrom: secret },
    ]);
    expect(pod.containers[0].envFrom).toEqual([{ secretRef: { name: 'aicr-env' } }]);
    expect(pod.initContainers).toEqual([NODE]);
  });

  test('hands environment texts over as they were written', async () => {
    const alphabet = ['$', '(', ')', 'A', ' '];
    // Every text of up to four of these characters, and some longer ones.
    let texts: string[] = [''];
    for (let length = 0; length < 4; length += 1) {
      texts = [...new Set([...texts, ...texts.flatMap((text) => alphabet.map((letter) => text + letter))])];
    }
    texts.push('$$$$(A)$$$', 'a\nb: "c" \\ {{ x }}', 'US$5 and $(A)');
    const pod = await podOf({ extraEnv: texts.map((value, n) => ({ name: `T${n}`, value })) });
    const values: string[] = pod.containers[0].env.slice(ENV.length).map((one: Any) => one.value);
    expect(values.map(expanded)).toEqual(texts);
    expect(values.at(-1)).toContain('$$(A)');
  });
});

/**
 * What Kubernetes makes of an environment variable's value, where A is a variable: `$$` is a dollar, `$(A)` its
 * value, any other dollar itself.
 */
const expanded = (value: string): string =>
  value.replaceAll(/\$(\$|\(A\))/g, (_, what: string) => (what === '$' ? '$' : 'EXPANDED'));
