import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { POD } from '../../src/contract/index.ts';
import { chartSources } from './chart.ts';
import { type Any, FULL, render } from './helm.ts';
import { REPRESENTATIVE } from './representative.ts';

const LABELS = {
  'helm.sh/chart': 'nvidia-aicr-0.3.0',
  'app.kubernetes.io/name': 'nvidia-aicr',
  'app.kubernetes.io/instance': 'rel',
  'app.kubernetes.io/version': 'v1.2.0',
  'app.kubernetes.io/component': 'installer',
  'app.kubernetes.io/managed-by': 'Helm',
};
const AUTH = '{"auths": {"r.example": {"username": "ü", "password": "p"}}}';
const ALL = { ...FULL, dataPackAuth: { dockerconfigjson: AUTH } };

describe.concurrent('the objects', () => {
  test('are these and no others', async () => {
    const kinds = async (values: object) => (await render(values)).objects.map((object) => object.kind);
    expect(await kinds(FULL)).toEqual([
      'ClusterRoleBinding',
      'ConfigMap',
      'ConfigMap',
      'Job',
      'ServiceAccount',
    ]);
    expect(await kinds(ALL)).toEqual([
      'ClusterRoleBinding',
      'ConfigMap',
      'ConfigMap',
      'Job',
      'Secret',
      'ServiceAccount',
    ]);
  });

  test('are no hooks, and lie in the namespace of the release', async () => {
    const { objects, text } = await render(ALL);
    expect(text).not.toContain('helm.sh/hook');
    for (const { kind, metadata } of objects) {
      expect([kind, metadata.namespace]).toEqual([kind, kind === 'ClusterRoleBinding' ? undefined : 'ns']);
    }
  });

  test('have the usual labels', async () => {
    for (const { metadata } of (await render(ALL)).objects) {
      expect(metadata.labels).toEqual(LABELS);
      expect(metadata.annotations).toBeUndefined();
    }
  });

  test.each(REPRESENTATIVE)(
    'have their own labels and commonLabels, and no others: $name',
    async ({ values }) => {
      const given: Any = typeof values === 'string' ? parse(values) : values;
      // The version is the chart's, whichever aicr it installs; labels of the pod are no labels of the Job.
      const name = given.nameOverride ?? 'nvidia-aicr';
      const labels = { ...given.commonLabels, ...LABELS, 'app.kubernetes.io/name': name };
      for (const { kind, metadata } of (await render(values)).objects) {
        expect(metadata.labels, `${kind} ${metadata.name}`).toEqual(labels);
      }
    },
  );

  test('have common labels and annotations, which leave the own ones alone', async () => {
    const { objects, job } = await render({
      ...ALL,
      commonLabels: { team: 'platform', number: 7, 'app.kubernetes.io/instance': 'other' },
      commonAnnotations: { owner: 'platform', on: true, 'example.com/a': 'common' },
      job: { annotations: { 'example.com/a': 'job' } },
      serviceAccount: { annotations: { 'example.com/a': 'account' } },
    });
    for (const { kind, metadata } of objects) {
      expect(metadata.labels).toEqual({ ...LABELS, team: 'platform', number: '7' });
      const own = kind === 'Job' ? 'job' : kind === 'ServiceAccount' ? 'account' : 'common';
      expect(metadata.annotations).toEqual({ owner: 'platform', on: 'true', 'example.com/a': own });
    }
    expect(Object.keys(job.spec.template.metadata.labels)).toEqual([
      'app.kubernetes.io/component',
      'nvidia-aicr/release',
    ]);
    expect(job.spec.template.metadata.annotations).not.toHaveProperty('owner');
  });

  test('take nameOverride as a label only', async () => {
    for (const { metadata } of (await render({ ...ALL, nameOverride: `${'n'.repeat(62)}-x` })).objects) {
      expect(metadata.labels).toEqual({ ...LABELS, 'app.kubernetes.io/name': 'n'.repeat(62) });
    }
  });

  test('carry the program byte for byte, immutable', async () => {
    const { runner } = await chartSources();
    const { objects, configMapWith } = await render(FULL);
    const program = objects.find((object) => object.binaryData !== undefined);
    expect(program.immutable).toBe(true);
    expect(program.data).toBeUndefined();
    expect(Object.keys(program.binaryData).sort()).toEqual([POD.handoverKey, POD.programKey].sort());
    expect(Buffer.from(program.binaryData[POD.programKey], 'base64')).toEqual(Buffer.from(runner.program));
    expect(Buffer.from(program.binaryData[POD.handoverKey], 'base64').toString()).toBe(runner.handover);
    const run = configMapWith('run.json');
    expect(run.immutable).toBe(true);
    expect(Object.keys(run.data)).toEqual([POD.runSpecFile.split('/').at(-1)]);
  });

  test.each(REPRESENTATIVE)(
    'are immutable only where they are named by their content: $name',
    async (one) => {
      // The API server refuses the upgrade that changes such an object under its old name.
      for (const { kind, metadata, immutable } of (await render(one.values)).objects) {
        const named = kind === 'ConfigMap' && /-[0-9a-f]{10}$/.test(metadata.name);
        expect(immutable === true, `${kind} ${metadata.name} is immutable`).toBe(named);
      }
    },
  );

  test('make a Secret of dataPackAuth, byte for byte', async () => {
    const secret = (await render(ALL)).only('Secret');
    expect(secret.type).toBe('kubernetes.io/dockerconfigjson');
    expect(Object.keys(secret.data)).toEqual(['.dockerconfigjson']);
    expect(Buffer.from(secret.data['.dockerconfigjson'], 'base64').toString()).toBe(AUTH);
  });

  test('bind the ServiceAccount of the pod, and mount no token by themselves', async () => {
    const { only, pod } = await render(FULL);
    expect(only('ServiceAccount').automountServiceAccountToken).toBe(false);
    expect(only('ServiceAccount').metadata.name).toBe('rel-installer');
    expect(pod.serviceAccountName).toBe('rel-installer');
    expect(only('ClusterRoleBinding')).toMatchObject({
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name: 'rel-installer', namespace: 'ns' }],
    });
  });

  test('take another ServiceAccount, role and annotations', async () => {
    const { only, pod } = await render({
      ...FULL,
      serviceAccount: { name: 'mine', annotations: { 'eks.amazonaws.com/role-arn': 'arn', n: 1 } },
      rbac: { clusterRole: 'installer' },
    });
    expect(only('ServiceAccount').metadata).toMatchObject({
      name: 'mine',
      annotations: { 'eks.amazonaws.com/role-arn': 'arn', n: '1' },
    });
    expect(pod.serviceAccountName).toBe('mine');
    expect(only('ClusterRoleBinding')).toMatchObject({
      roleRef: { name: 'installer' },
      subjects: [{ name: 'mine' }],
    });
  });

  test.each([
    ['default', {}, 'default'],
    ['one of the user', { name: 'mine' }, 'mine'],
  ])('use a ServiceAccount that is there: %s', async (_name, account, expected) => {
    const { objects, pod, only } = await render({ ...FULL, serviceAccount: { create: false, ...account } });
    expect(objects.map((object) => object.kind)).not.toContain('ServiceAccount');
    expect(pod.serviceAccountName).toBe(expected);
    expect(only('ClusterRoleBinding').subjects).toEqual([
      { kind: 'ServiceAccount', name: expected, namespace: 'ns' },
    ]);
  });

  test.each(REPRESENTATIVE)('give rights to the pod and to nobody else: $name', async ({ values }) => {
    const { objects, pod } = await render(values);
    for (const { kind, metadata, subjects = [] } of objects) {
      const expected = { kind: 'ServiceAccount', name: pod.serviceAccountName, namespace: 'ns' };
      expect(subjects, `${kind} ${metadata.name}`).toEqual(kind.endsWith('Binding') ? [expected] : []);
    }
  });

  test('bind nothing when they are told not to', async () => {
    const { objects } = await render({ ...FULL, rbac: { create: false } });
    expect(objects.map((object) => object.kind)).not.toContain('ClusterRoleBinding');
  });
});
