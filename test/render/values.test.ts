import { describe, expect, test } from 'vitest';
import { buildChart, chartSources } from './chart.ts';
import { FULL, refuse, render } from './helm.ts';
import { RESOURCES } from './pod.ts';
import { SCHEMA_KEYS } from './schema-keys.ts';
import { everywhere } from './schema-refusals.ts';

// A chart whose values.yaml states nothing: what --reuse-values leaves of a release from before a key was there.
const bare = await buildChart({
  templates: (await chartSources()).templates.map((file) =>
    file.path === 'values.yaml.hbs' ? { ...file, data: new Uint8Array() } : file,
  ),
});

/** Every value as null, in its group. */
const allNull = everywhere(SCHEMA_KEYS.map(([key]) => [key, null]));

/** Every group of values, as a dotted path. */
const GROUPS = [
  ...new Set(
    SCHEMA_KEYS.flatMap(([key]) => {
      const names = key.split('.');
      return names.slice(1).map((_, index) => names.slice(0, index + 1).join('.'));
    }),
  ),
];

describe.concurrent('values', () => {
  test('have the same defaults whether values.yaml states them or not', async () => {
    const [stated, missing] = await Promise.all([render(FULL), render(FULL, { chart: bare })]);
    expect(missing.objects).toEqual(stated.objects);
  });

  test('have defaults where they are null', async () => {
    // Helm drops a null where values.yaml states a default, and keeps it elsewhere; both must come out right.
    for (const options of [{}, { chart: bare }]) {
      for (const criteria of [{ accelerator: 'h100' }, { dataPack: 'r.example/p' }]) {
        const [plain, nulled] = await Promise.all([
          render(criteria),
          render({ ...allNull, ...criteria }, options),
        ]);
        expect(nulled.objects).toEqual(plain.objects);
      }
    }
  });

  test('have defaults when a whole group is null', async () => {
    const expected = await render(FULL);
    for (const depth of [1, 2, 3]) {
      const groups = GROUPS.filter((key) => key.split('.').length === depth);
      expect(groups).not.toEqual([]);
      const nulls = everywhere(groups.map((key) => [key, null]));
      for (const options of [{}, { chart: bare }]) {
        expect((await render({ ...FULL, ...nulls }, options)).objects).toEqual(expected.objects);
      }
    }
  });

  test.each(['requests', 'limits'])('leave job.resources.%s out when they are null', async (part) => {
    const values = { ...FULL, job: { resources: { [part]: null } } };
    const [stated, missing] = await Promise.all([render(values), render(values, { chart: bare })]);
    const { [part as 'limits']: _, ...rest } = RESOURCES;
    expect(stated.pod.containers[0].resources).toEqual(rest);
    // The part that was not given has no default here: Helm adds those of maps only from values.yaml.
    expect(missing.pod.containers[0].resources).toBeUndefined();
  });

  test('may be nulled on the command line', async () => {
    const [plain, group, keys] = await Promise.all([
      render(FULL),
      render(FULL, { args: ['--set', 'job=null,runId=null'] }),
      render(FULL, {
        args: ['--set', 'job.ttlSecondsAfterFinished=null,job.resources=null,imagePullPolicy=null'],
      }),
    ]);
    expect(group.objects).toEqual(plain.objects);
    expect(keys.objects).toEqual(plain.objects);
  });

  test('keep false, 0 and the empty text where these are given', async () => {
    const { runSpec, objects } = await render({
      ...FULL,
      deployFlags: '',
      recipeConfigMap: '',
      serviceAccount: { create: false },
      rbac: { create: false },
      job: { ttlSecondsAfterFinished: 0 },
    });
    expect(runSpec.deploy.flags).toBe('');
    expect(runSpec.recipe.configMap).toBe('');
    expect(objects.map((object) => object.kind)).toEqual(['ConfigMap', 'ConfigMap', 'Job']);
    expect(objects.find((object) => object.kind === 'Job').spec.ttlSecondsAfterFinished).toBe(0);
  });

  test('are the same quantity as a number and as text, and so the same run', async () => {
    const [number, text] = await Promise.all([
      render(FULL, { args: ['--set', 'job.resources.limits.cpu=2,job.resources.requests.memory=268435456'] }),
      render({ ...FULL, job: { resources: { limits: { cpu: '2' }, requests: { memory: '268435456' } } } }),
    ]);
    expect(number.objects).toEqual(text.objects);
  });

  test('are the same numbers from a file, from --set and from --set-json', async () => {
    const numbers = {
      job: {
        activeDeadlineSeconds: 1_000_000,
        ttlSecondsAfterFinished: 10_000_000,
        terminationGracePeriodSeconds: 3_000_000,
        backoffLimit: 2_000_000,
        extraEnv: [{ name: 'LIMIT', value: 8_388_608 }],
        podSecurityContext: { runAsUser: 1_000_660_000 },
        podAnnotations: { big: 123_456_789 },
        nodeSelector: { pool: 7_000_000 },
        resources: { limits: { memory: 4_000_000_000 } },
        tmpSizeLimit: 2_000_000_000,
        tolerations: [{ key: 'a', operator: 'Exists', tolerationSeconds: 3_600_000 }],
      },
    };
    const set = [
      'activeDeadlineSeconds=1000000',
      'ttlSecondsAfterFinished=10000000',
      'terminationGracePeriodSeconds=3000000',
      'backoffLimit=2000000',
      'extraEnv[0].name=LIMIT',
      'extraEnv[0].value=8388608',
      'podSecurityContext.runAsUser=1000660000',
      'podAnnotations.big=123456789',
      'nodeSelector.pool=7000000',
      'resources.limits.memory=4000000000',
      'tmpSizeLimit=2000000000',
      'tolerations[0].key=a',
      'tolerations[0].operator=Exists',
      'tolerations[0].tolerationSeconds=3600000',
    ].map((assignment) => `job.${assignment}`);
    const [file, line, json] = await Promise.all([
      render({ ...FULL, ...numbers }),
      render(FULL, { args: ['--set', set.join(',')] }),
      render(FULL, { args: ['--set-json', `job=${JSON.stringify(numbers.job)}`] }),
    ]);
    expect(line.text).toBe(file.text);
    expect(json.text).toBe(file.text);
    expect(file.text).not.toMatch(/\de\+/);
    expect(file.job.spec).toMatchObject({
      activeDeadlineSeconds: 1_000_000,
      ttlSecondsAfterFinished: 10_000_000,
      backoffLimit: 2_000_000,
    });
    expect(file.pod).toMatchObject({
      terminationGracePeriodSeconds: 3_000_000,
      securityContext: { runAsUser: 1_000_660_000 },
      nodeSelector: { pool: '7000000' },
    });
    expect(file.installer.env).toContainEqual({ name: 'LIMIT', value: '8388608' });
    expect(file.job.spec.template.metadata.annotations).toMatchObject({ big: '123456789' });
  });

  test.each([
    ['an unknown key', { acelerator: 'h100' }, /acelerator/],
    ['an unknown key in a group', { job: { tolerration: [] } }, /tolerration/],
    ['a key of a later chart', { proxy: { https: 'proxy.example:3128' } }, /proxy/],
    ['a text for a number', { job: { activeDeadlineSeconds: '600' } }, /activeDeadlineSeconds/],
    ['half a second', { job: { activeDeadlineSeconds: 0.5 } }, /activeDeadlineSeconds/],
    ['a deadline of nothing', { job: { activeDeadlineSeconds: 0 } }, /activeDeadlineSeconds/],
    ['a negative TTL', { job: { ttlSecondsAfterFinished: -1 } }, /ttlSecondsAfterFinished/],
    ['a text for the TTL', { job: { ttlSecondsAfterFinished: '60' } }, /ttlSecondsAfterFinished/],
    ['a negative backoffLimit', { job: { backoffLimit: -1 } }, /backoffLimit/],
    ['a number for an argument', { deployArgs: ['--retries', 1] }, /deployArgs\/1|deployArgs.1/],
    ['a text for arguments', { deployArgs: '--retries 1' }, /deployArgs/],
    ['a list for flags', { deployFlags: ['--no-wait'] }, /deployFlags/],
    ['a boolean for the data pack', 'dataPack: on', /dataPack/],
    ['a number for an image', { runtimeImage: 20261101 }, /runtimeImage/],
    ['an empty image', { nodeImage: '' }, /nodeImage/],
    ['a text for a boolean', { dataPackPlainHTTP: 'false' }, /dataPackPlainHTTP/],
    ['another CPU kind', { aicrArch: 'riscv64' }, /aicrArch/],
    ['another pull policy', { imagePullPolicy: 'Sometimes' }, /imagePullPolicy/],
    ['a source without a scheme', { aicrSource: { baseUrl: 'mirror.example' } }, /baseUrl/],
    ['a source with something before it', { aicrSource: { baseUrl: 'x http://m.example' } }, /baseUrl/],
    ['a source with something behind it', { aicrSource: { baseUrl: 'http://m.example x' } }, /baseUrl/],
    ['a number too large to be kept', { job: { extraEnv: [{ name: 'A', value: 1e16 }] } }, /extraEnv/],
    ['a variable without a name', { job: { extraEnv: [{ value: 'a' }] } }, /extraEnv/],
    ['a blank in a criterion', { os: 'ubuntu 24' }, /os/],
    ['a label that the API refuses', { commonLabels: { team: 'a b' } }, /commonLabels/],
    ['a quantity without sense', { job: { tmpSizeLimit: 'much' } }, /tmpSizeLimit/],
    ['a negative quantity', { job: { tmpSizeLimit: '-1Gi' } }, /tmpSizeLimit/],
    ['a quantity with more behind it', { job: { tmpSizeLimit: '1Gib' } }, /tmpSizeLimit/],
    ['a negative request', { job: { resources: { requests: { cpu: '-1' } } } }, /requests\/cpu/],
    [
      'a request with more behind it',
      { job: { resources: { requests: { cpu: '1 cpu' } } } },
      /requests\/cpu/,
    ],
    ['a negative limit', { job: { resources: { limits: { memory: '-1Gi' } } } }, /limits\/memory/],
    ['a limit with more behind it', { job: { resources: { limits: { memory: '1Gib' } } } }, /limits\/memory/],
    ['a wait of more than 32 bits', { lock: { waitSeconds: 2_147_483_648 } }, /waitSeconds/],
    [
      'a TTL of more than 32 bits',
      { job: { ttlSecondsAfterFinished: 2_147_483_648 } },
      /ttlSecondsAfterFinished/,
    ],
    [
      'a deadline of more than 32 bits',
      { job: { activeDeadlineSeconds: 2_147_483_648 } },
      /activeDeadlineSeconds/,
    ],
    [
      'a grace period of more than 32 bits',
      { job: { terminationGracePeriodSeconds: 2_147_483_648 } },
      /terminationGracePeriodSeconds/,
    ],
    ['a backoffLimit of more than 32 bits', { job: { backoffLimit: 2_147_483_648 } }, /backoffLimit/],
    ['resources of another kind', { job: { resources: { limit: {} } } }, /resources/],
    ['an object name with capitals', { fullnameOverride: 'Nvidia' }, /fullnameOverride/],
  ])('of the wrong kind are refused and named: %s', async (_name, values, named) => {
    const text = await refuse(
      typeof values === 'string' ? `accelerator: h100\n${values}\n` : { ...FULL, ...values },
    );
    expect(text).toMatch(named);
  });

  test('may be as large as Kubernetes takes them', async () => {
    const most = 2_147_483_647;
    const job = { ttlSecondsAfterFinished: most, backoffLimit: most, activeDeadlineSeconds: most };
    const pod = { terminationGracePeriodSeconds: most };
    const rendered = await render({ ...FULL, lock: { waitSeconds: most }, job: { ...job, ...pod } });
    expect(rendered.job.spec).toMatchObject({ ...job, template: { spec: pod } });
    expect(rendered.runSpec.lock.waitSeconds).toBe(most);
  });

  test('may be 0 in labels, and null in variables', async () => {
    const extraEnv = [
      { name: 'A', value: null },
      { name: 'B', valueFrom: null },
    ];
    const rendered = await render({
      ...FULL,
      commonLabels: { a: 0 },
      job: { extraEnv, podLabels: { a: 0 } },
    });
    expect(rendered.job.metadata.labels.a).toBe('0');
    expect(rendered.job.spec.template.metadata.labels.a).toBe('0');
    expect(rendered.installer.env.slice(-2)).toEqual([
      { name: 'A', value: '' },
      { name: 'B', value: '' },
    ]);
  });

  test.each([
    ...['', '1A', 'A B', 'A=B', 'ü', 'A\n', null, 7].map((name) => ({ name })),
    { name: 'A', value: [] },
    { name: 'A', value: -1e16 },
    { name: 'A', value: 1e16 },
    { name: 'A', valueFrom: 'x' },
    { name: 'A', valueform: {} },
    'A=b',
  ])('take no variable that Kubernetes would refuse: %j', async (variable) => {
    expect(await refuse({ ...FULL, job: { extraEnv: [variable] } })).toMatch(/at '\/job\/extraEnv\/0/);
  });
});
