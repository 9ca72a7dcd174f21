import { describe, expect, test } from 'vitest';
import { chart } from './chart.ts';
import { type Any, FULL, helm, render, valuesFile } from './helm.ts';
import { everywhere } from './schema-refusals.ts';

/** Maps whose keys become names that Kubernetes has rules for, what they hold, and where it is seen. */
const MAPS: readonly (readonly [string, unknown, (rendered: Any) => Any])[] = [
  ['job.annotations', 'x', ({ job }) => job.metadata.annotations],
  ['job.podAnnotations', 'x', ({ job }) => job.spec.template.metadata.annotations],
  ['job.nodeSelector', 'x', ({ pod }) => pod.nodeSelector],
  ['commonAnnotations', 'x', ({ configMapWith }) => configMapWith('run.json').metadata.annotations],
  ['serviceAccount.annotations', 'x', ({ only }) => only('ServiceAccount').metadata.annotations],
  ['job.resources.limits', '1', ({ installer }) => installer.resources.limits],
  ['job.resources.requests', '1', ({ installer }) => installer.resources.requests],
  ['job.podLabels', 'x', ({ job }) => job.spec.template.metadata.labels],
  ['commonLabels', 'x', ({ job }) => job.metadata.labels],
];

const LEGAL = ['a', 'A.b_c-d', '007', 'true', 'null', 'example.com/a', 'x/y.z', 'n'.repeat(63), 'a-b.c/n'];
const ILLEGAL = [
  ...['', ' ', 'a b', '<<', '-a', 'a-', '/a', 'a/', 'a/b/c', 'a_b/c', 'ü', 'n'.repeat(64)],
  ...['.a/b', 'a./b', 'a..b/c', 'a.-b/c', 'a-.b/c'],
];

/** Each map with these keys. */
const withKeys = (keys: readonly string[]): Any =>
  everywhere(MAPS.map(([name, value]) => [name, Object.fromEntries(keys.map((key) => [key, value]))]));

describe('the keys of maps', () => {
  test('may be what Kubernetes takes', async () => {
    const rendered = await render({ ...FULL, ...withKeys(LEGAL) });
    for (const [name, value, seen] of MAPS) {
      for (const key of LEGAL) expect([name, key, seen(rendered)[key]]).toEqual([name, key, value]);
    }
  });

  test.each([3, 4] as const)(
    'are refused when Kubernetes would refuse them, by Helm %i',
    async (generation) => {
      const file = valuesFile({ ...FULL, ...withKeys(ILLEGAL) });
      const { stderr } = await helm(generation, ['template', 'rel', chart, '-f', file]);
      for (const [name] of MAPS) {
        const line =
          stderr.split('\n').find((one) => one.includes(`at '/${name.replaceAll('.', '/')}': `)) ?? '';
        const refused = [...line.matchAll(/'([^']*)'(?=,| not allowed)/g)].map(([, key]) => key);
        expect([name, ...refused.sort()]).toEqual([name, ...[...ILLEGAL].sort()]);
      }
    },
  );
});
