import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { buildChart, chart } from './chart.ts';
import { type Any, FULL, helm, type Rendered, type RenderOptions, render, valuesFile } from './helm.ts';

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL_VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

const jobName = async (values: object, options: RenderOptions = {}): Promise<string> =>
  (await render({ ...FULL, ...values }, options)).job.metadata.name;

/** Fails unless the API server would take every name and label. */
const expectLegal = (objects: readonly Any[]): void => {
  for (const object of objects) {
    expect(object.metadata.name).toMatch(SUBDOMAIN);
    expect(object.metadata.name.length).toBeLessThanOrEqual(object.kind === 'Job' ? 63 : 253);
    const labels = { ...object.metadata.labels, ...object.spec?.template.metadata.labels };
    for (const value of Object.values(labels)) expect(value).toMatch(LABEL_VALUE);
  }
  const { spec, metadata } = objects.find((object) => object.kind === 'Job');
  expect(metadata.name).toMatch(LABEL);
  const pod = spec.template.spec;
  for (const { name } of [...pod.initContainers, ...pod.containers, ...pod.volumes]) {
    expect(name).toMatch(/^[a-z0-9-]{1,63}$/);
  }
};

describe.concurrent('names', () => {
  test.each([
    ['with dots', 'gpu.stack.v1', {}, 'gpu-stack-v1-install-'],
    ['of 53 characters', 'r'.repeat(53), {}, `${'r'.repeat(44)}-install-`],
    ['cut at a dash', `${'r'.repeat(43)}-${'r'.repeat(9)}`, {}, `${'r'.repeat(43)}-install-`],
    ['cut at a dot', 'rel', { fullnameOverride: `${'r'.repeat(43)}.x` }, `${'r'.repeat(43)}-install-`],
    [
      'of 62 characters and a dash',
      'rel',
      { fullnameOverride: `${'x'.repeat(62)}-` },
      `${'x'.repeat(44)}-install-`,
    ],
    ['of 100 characters', 'rel', { fullnameOverride: 'x'.repeat(100) }, `${'x'.repeat(44)}-install-`],
  ])('are legal and tell values apart for a name %s', async (_name, release, values, prefix) => {
    const all = { ...FULL, ...values, dataPackAuth: { dockerconfigjson: '{}' } };
    const [one, other] = await Promise.all([
      render(all, { release }),
      render({ ...all, platform: 'kueue' }, { release }),
    ]);
    expectLegal(one.objects);
    expect(one.job.metadata.name).toMatch(new RegExp(`^${prefix}[0-9a-f]{10}$`));
    expect(other.job.metadata.name).not.toBe(one.job.metadata.name);
  });

  test('are those of the release, or of fullnameOverride', async () => {
    const names = async (values: object): Promise<readonly string[]> =>
      (await render({ ...FULL, ...values, dataPackAuth: { dockerconfigjson: '{}' } })).objects.map(
        ({ kind, metadata }) => `${kind} ${metadata.name.replace(/[0-9a-f]{10}$/, 'HASH')}`,
      );
    const expected = (prefix: string): readonly string[] => [
      `ClusterRoleBinding ${prefix}-HASH`,
      `ConfigMap ${prefix}-run-HASH`,
      `ConfigMap ${prefix}-runner-HASH`,
      `Job ${prefix}-install-HASH`,
      `Secret ${prefix}-pack-auth`,
      `ServiceAccount ${prefix}-installer`,
    ];
    expect(await names({})).toEqual(expected('rel'));
    expect(await names({ fullnameOverride: 'gpu' })).toEqual(expected('gpu'));
    expect(await names({ nameOverride: 'gpu' })).toEqual(expected('rel'));
  });

  test('are texts where YAML would see numbers', async () => {
    const values = { ...FULL, serviceAccount: { name: '007' }, dataPackAuth: { dockerconfigjson: '{}' } };
    const { objects, pod, only } = await render(values, { release: '1e3', namespace: '12345' });
    for (const { kind, metadata } of objects) {
      if (kind !== 'ClusterRoleBinding') expect(metadata.namespace).toBe('12345');
      expect(typeof metadata.name).toBe('string');
      expect(metadata.labels['app.kubernetes.io/instance']).toBe('1e3');
    }
    expect(pod.serviceAccountName).toBe('007');
    expect(only('ClusterRoleBinding').subjects).toEqual([
      { kind: 'ServiceAccount', name: '007', namespace: '12345' },
    ]);
  });

  test('of bindings are texts, also with a digest that makes a number of a name', async () => {
    const namespace = 'gpu-119';
    const digest = createHash('sha256').update(`${namespace}/rel/cluster-admin`).digest('hex').slice(0, 10);
    expect(digest).toMatch(/^[0-9]{10}$/);
    const { only } = await render({ ...FULL, fullnameOverride: '1e' }, { namespace });
    expect(only('ClusterRoleBinding').metadata.name).toBe(`1e-${digest}`);
  });

  test('of bindings differ between namespaces, releases and roles', async () => {
    const binding = async (values: object, options: RenderOptions = {}): Promise<string> =>
      (await render({ ...FULL, fullnameOverride: 'same', ...values }, options)).only('ClusterRoleBinding')
        .metadata.name;
    const all = await Promise.all([
      binding({}),
      binding({}, { namespace: 'other' }),
      binding({}, { release: 'other' }),
      // A binding's role is immutable.
      binding({ rbac: { clusterRole: 'edit' } }),
    ]);
    expect(new Set(all).size).toBe(4);
    expect(await binding({ runId: '2' })).toBe(all[0]);
  });
});

describe.concurrent("the Job's name", () => {
  /** Changes of values that change the Job's spec. */
  const changes: readonly (readonly [string, object])[] = [
    ['accelerator', { accelerator: 'b200' }],
    ['aicrVersion', { aicrVersion: 'v1.2.1' }],
    ['runId', { runId: '2' }],
    ['fullnameOverride', { fullnameOverride: 'rel2' }],
    ['job.podLabels', { job: { podLabels: { a: 'b' } } }],
    ['job.podAnnotations', { job: { podAnnotations: { a: 'b' } } }],
    ['job.resources', { job: { resources: { limits: { cpu: '2' } } } }],
    ['job.tmpSizeLimit', { job: { tmpSizeLimit: '3Gi' } }],
    ['job.backoffLimit', { job: { backoffLimit: 1 } }],
    ['job.terminationGracePeriodSeconds', { job: { terminationGracePeriodSeconds: 60 } }],
    ['job.extraEnv', { job: { extraEnv: [{ name: 'A', value: 'b' }] } }],
    ['job.nodeSelector', { job: { nodeSelector: { a: 'b' } } }],
    ['nodeImage', { nodeImage: 'r.example/node:22' }],
    ['imagePullPolicy', { imagePullPolicy: 'Always' }],
    ['serviceAccount.name', { serviceAccount: { name: 'other' } }],
    ['dataPackAuth', { dataPack: 'r.example/p', dataPackAuth: { dockerconfigjson: '{}' } }],
  ];

  test.each(changes)('changes with %s', async (_name, values) => {
    const [before, after] = await Promise.all([render(FULL), render({ ...FULL, ...values })]);
    expect(after.job.spec).not.toEqual(before.job.spec);
    expect(after.job.metadata.name).not.toBe(before.job.metadata.name);
  });

  test.each([
    ['job.activeDeadlineSeconds', { job: { activeDeadlineSeconds: 60 } }],
    ['job.ttlSecondsAfterFinished', { job: { ttlSecondsAfterFinished: 60 } }],
    ['commonLabels', { commonLabels: { a: 'b' } }],
    ['commonAnnotations', { commonAnnotations: { a: 'b' } }],
    ['job.annotations', { job: { annotations: { a: 'b' } } }],
    ['nameOverride', { nameOverride: 'other' }],
    ['rbac.create', { rbac: { create: false } }],
    ['orasImage without a data pack', { orasImage: 'r.example/oras' }],
    ['the same value in another spelling', { aicrVersion: '1.2.0' }],
  ])('stays with %s, and so does all of the spec that is immutable', async (_name, values) => {
    const [before, after] = await Promise.all([render(FULL), render({ ...FULL, ...values })]);
    expect(after.job.metadata.name).toBe(before.job.metadata.name);
    const { activeDeadlineSeconds: _a, ttlSecondsAfterFinished: _b, ...spec } = after.job.spec;
    expect(before.job.spec).toMatchObject(spec);
  });

  test('covers a corrected credential', async () => {
    const pack = (dockerconfigjson: string) => ({
      dataPack: 'r.example/p',
      dataPackAuth: { dockerconfigjson },
    });
    const [one, other] = await Promise.all([
      jobName(pack('{"auths": {"a": {}}}')),
      jobName(pack('{"auths": {"b": {}}}')),
    ]);
    expect(other).not.toBe(one);
  });

  test('covers the program and the version of the chart', async () => {
    const runner = { program: new Uint8Array([1]), handover: 'x' };
    const [one, program, handover, version] = await Promise.all([
      render(FULL, { chart: await buildChart({ runner }) }),
      render(FULL, { chart: await buildChart({ runner: { ...runner, program: new Uint8Array([2]) } }) }),
      render(FULL, { chart: await buildChart({ runner: { ...runner, handover: 'y' } }) }),
      render(FULL, { chart: await buildChart({ runner, version: '0.3.1' }) }),
    ]);
    const first = one.job.metadata.name;
    for (const [changed, { job }] of Object.entries({ program, handover, version })) {
      expect(job.metadata.name, `the Job's name with another ${changed}`).not.toBe(first);
    }
    // The version moves run.json and labels; the pod's own labels stay.
    expect(version.job.spec.template.metadata).toEqual(one.job.spec.template.metadata);
    const programOf = ({ objects }: Rendered): string =>
      objects.find((object) => object.binaryData !== undefined).metadata.name;
    expect(programOf(program)).not.toBe(programOf(one));
    expect(programOf(handover)).not.toBe(programOf(one));
    expect(programOf(version)).toBe(programOf(one));
  });

  test('is the same in every revision and on install and upgrade, unless each revision is to run', async () => {
    const upgrade = { args: ['--is-upgrade'] };
    expect(await jobName({}, upgrade)).toBe(await jobName({}));
    const job = { rerunOnUpgrade: true };
    expect(await jobName({ job })).not.toBe(await jobName({}));
  });

  test('and everything else is the same bytes in every render', async () => {
    const once = (generation: 3 | 4) => helm(generation, ['template', 'rel', chart, '-f', valuesFile(FULL)]);
    for (const generation of [3, 4] as const) {
      const one = await once(generation);
      expect(await once(generation)).toEqual(one);
      expect(one.ok).toBe(true);
    }
  });

  test('names ConfigMaps by their content', async () => {
    const [one, two] = await Promise.all([render(FULL), render({ ...FULL, runId: '2' })]);
    const run = (rendered: typeof one) => rendered.configMapWith('run.json').metadata.name;
    const mounted = (rendered: typeof one) =>
      rendered.pod.volumes.find((volume: Any) => volume.name === 'run-spec').configMap.name;
    expect(run(two)).not.toBe(run(one));
    expect(mounted(one)).toBe(run(one));
    expect(mounted(two)).toBe(run(two));
  });
});
