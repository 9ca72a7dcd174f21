import { POD, POD_ENV } from '../../src/contract/index.ts';
import { type Any, FULL, render } from './helm.ts';

/** What the pod is by default, in the contract's words. */

export const RESOURCES = {
  requests: { cpu: '200m', memory: '256Mi', 'ephemeral-storage': '1Gi' },
  limits: { cpu: '1', memory: '2Gi', 'ephemeral-storage': '6Gi' },
};
export const CONFINED = {
  imagePullPolicy: 'IfNotPresent',
  terminationMessagePolicy: 'FallbackToLogsOnError',
  resources: RESOURCES,
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  },
};
export const NODE = {
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
export const LOADER = [`${POD.runnerDir}/loader`, '--library-path', POD.runnerDir, `${POD.runnerDir}/node`];
export const ORAS = {
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
export const ENV = [
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
export const MOUNTS = [
  { name: 'runner', mountPath: POD.runnerDir, readOnly: true },
  { name: 'run-spec', mountPath: '/run-spec', readOnly: true },
  { name: 'tmp', mountPath: POD.workDir },
  { name: 'api-access', mountPath: POD.serviceAccountDir, readOnly: true },
];
export const volumes = (names: { runner: string; run: string }): readonly Any[] => [
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
export const packAuth = (secretName: string) => ({
  name: 'pack-auth',
  secret: { secretName, optional: true, defaultMode: 0o440 },
});

/** The Job with these values of `job`. */
export const job = async (values: object): Promise<Any> => (await render({ ...FULL, job: values })).job;
/** Its pod. */
export const podOf = async (values: object): Promise<Any> => (await job(values)).spec.template.spec;
/** All containers of a pod, in the order in which they start. */
export const containersOf = (pod: Any): readonly Any[] => [...pod.initContainers, ...pod.containers];
