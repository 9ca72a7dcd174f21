import { describe, expect, test } from 'vitest';
import { buildChart } from './chart.ts';
import { FULL, render } from './helm.ts';

/** Texts of which YAML makes something else where they stand without quotes. */
const TEXTS = ['0600', '1e3', 'true', 'null', '~', '@x', '0x1f', '12:30', '*a', '2001-01-01'];

describe.concurrent('texts that YAML would read as something else', () => {
  test.each(TEXTS)('stay the texts they are, as the names of images: %s', async (text) => {
    const images = { nodeImage: text, orasImage: text, runtimeImage: text };
    const { pod } = await render({ ...FULL, ...images, dataPack: 'r.example/p' });
    const all = [...pod.initContainers, ...pod.containers];
    expect(all.map(({ image }) => image)).toEqual([text, text, text]);
  });

  test.each(TEXTS)('stay the texts they are, as names of what is there: %s', async (text) => {
    const { pod } = await render({
      ...FULL,
      imagePullSecrets: [text, { name: text }],
      job: { priorityClassName: text, runtimeClassName: text },
    });
    expect(pod.imagePullSecrets).toEqual([{ name: text }, { name: text }]);
    expect(pod.priorityClassName).toBe(text);
    expect(pod.runtimeClassName).toBe(text);
  });

  test('stay the texts they are, as names of Secrets', async () => {
    const { pod } = await render({
      ...FULL,
      dataPack: 'r.example/p',
      dataPackSecret: '007',
      deployFlags: '',
      validate: {
        enabled: true,
        emitEvidence: true,
        publish: {
          enabled: true,
          ref: 'r.example/proof',
          registrySecret: '1e3',
          identityTokenSecret: { name: '0x1' },
        },
      },
    });
    const secrets = pod.volumes.filter((volume: object) => 'secret' in volume);
    expect(secrets.map((volume: { secret: { secretName: string } }) => volume.secret.secretName)).toEqual([
      '007',
      '1e3',
      '0x1',
    ]);
  });
});

describe.concurrent('labels', () => {
  const labels = async (version: string, values: object = {}): Promise<Record<string, string>> =>
    (await render({ ...FULL, ...values }, { chart: await buildChart({ version }) })).job.metadata.labels;

  test.each([
    ['0.3.1', 'nvidia-aicr-0.3.1'],
    ['0.3.0+build.5', 'nvidia-aicr-0.3.0_build.5'],
    ['0.3.0-x', 'nvidia-aicr-0.3.0-x'],
    // 63 characters, the last of them one that may not end a label.
    [`0.3.0-${'r'.repeat(44)}.rc`, `nvidia-aicr-0.3.0-${'r'.repeat(44)}`],
    [`0.3.0-${'r'.repeat(60)}`, `nvidia-aicr-0.3.0-${'r'.repeat(45)}`],
  ])('state the chart of version %s', async (version, label) => {
    expect((await labels(version))['helm.sh/chart']).toBe(label);
  });

  test.each([
    ['x', 'x'],
    ['n'.repeat(64), 'n'.repeat(63)],
    [`${'n'.repeat(62)}.n`, 'n'.repeat(62)],
    [`${'n'.repeat(62)}_n`, 'n'.repeat(62)],
  ])('take nameOverride, cut to what a label may be: %s', async (nameOverride, label) => {
    expect((await labels('0.3.0', { nameOverride }))['app.kubernetes.io/name']).toBe(label);
  });
});

describe.concurrent('names of objects', () => {
  test.each([
    ['63 characters and more', 'x'.repeat(70), 'x'.repeat(63)],
    ['62 characters and a dot', `${'x'.repeat(62)}.y`, 'x'.repeat(62)],
    ['a dash at the end', 'x-', 'x'],
    ['a dot at the end', 'x.', 'x'],
    ['letters only', 'xx', 'xx'],
  ])('begin with fullnameOverride, cut so that it can go on: %s', async (_name, fullnameOverride, prefix) => {
    const { only, configMapWith } = await render({
      ...FULL,
      fullnameOverride,
      dataPackAuth: { dockerconfigjson: '{}' },
    });
    expect(only('ServiceAccount').metadata.name).toBe(`${prefix}-installer`);
    expect(only('Secret').metadata.name).toBe(`${prefix}-pack-auth`);
    expect(only('ClusterRoleBinding').metadata.name).toMatch(new RegExp(`^${prefix}-[0-9a-f]{10}$`));
    expect(configMapWith('run.json').metadata.name).toMatch(new RegExp(`^${prefix}-run-[0-9a-f]{10}$`));
  });
});
