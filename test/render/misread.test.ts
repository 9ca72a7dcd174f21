import { describe, expect, test } from 'vitest';
import { chart } from './chart.ts';
import { type Any, FULL, helm, refuse, renderObjects, valuesFile } from './helm.ts';
import { containersOf } from './pod.ts';
import { REPRESENTATIVE } from './representative.ts';

/** What stands for one exact thing in the world, and would stand for another once it was read as a number. */
const EXACT = [
  ...['dataPack', 'runtimeImage', 'nodeImage', 'orasImage', 'validate.publish.ref', 'rbac.clusterRole'],
  ...['storageClass', 'dataPackSecret', 'fullnameOverride', 'serviceAccount.name', 'recipeConfigMap'],
];

/** Texts without quotes of which YAML makes 1.1, 20261101, 1.2e9, 384, true and a number too large to be kept. */
const MISREAD = ['1.10', '20261101', '12e8', '0600', 'on', '1'.repeat(40)];

/** As YAML with a value at each key, just as it is written. */
const yamlOf = (keys: readonly string[], scalar: string): string =>
  keys
    .map(
      (key) =>
        `${key
          .split('.')
          .map((name, depth) => `${'  '.repeat(depth)}${name}:`)
          .join('\n')} ${scalar}`,
    )
    .join('\n');

describe.concurrent('versions, tags, digests and names that YAML misreads', () => {
  test.each(MISREAD)('are refused by name: %s', async (scalar) => {
    const file = valuesFile(`accelerator: h100\n${yamlOf(EXACT, scalar)}\n`);
    for (const generation of [3, 4] as const) {
      const { ok, stderr } = await helm(generation, ['template', 'rel', chart, '-f', file]);
      expect(ok).toBe(false);
      for (const key of EXACT) expect(stderr).toContain(`at '/${key.replaceAll('.', '/')}': got `);
    }
    const guarded = await refuse(
      `accelerator: h100\naicrVersion: ${scalar}\naicrSha256: {amd64: ${scalar}}\n`,
    );
    expect(guarded.split('\n').map((line) => line.split(': ')[0])).toEqual([
      'aicrVersion',
      'aicrSha256.amd64',
    ]);
  });
});

/** A size in bytes. */
const bytes = (quantity: string): number => {
  const [, number = '', unit = ''] = /^(\d+)(Ki|Mi|Gi|)$/.exec(quantity) ?? [];
  return Number(number) * { '': 1, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 }[unit as 'Mi'];
};

describe.concurrent('whatever is rendered', () => {
  test('may fill its volumes before the pod is evicted', async () => {
    const { objects } = await renderObjects(FULL);
    const pod = objects.find((object) => object.kind === 'Job').spec.template.spec;
    const volumes = pod.volumes.flatMap(({ emptyDir }: Any) => (emptyDir ? [bytes(emptyDir.sizeLimit)] : []));
    expect(volumes).toHaveLength(2);
    const sum = volumes.reduce((one: number, other: number) => one + other, 0);
    for (const { resources } of containersOf(pod)) {
      expect(bytes(resources.limits['ephemeral-storage'])).toBeGreaterThanOrEqual(sum);
    }
  });

  test.each(REPRESENTATIVE)(
    'holds no number with an exponent and nothing that is substituted: $name',
    async ({ values }) => {
      const { text, objects } = await renderObjects(values);
      expect(text).not.toMatch(/: -?\d+(\.\d+)?e[+-]?\d+$/m);
      expect(JSON.stringify(objects)).not.toMatch(/\$\{/);
    },
  );
});
