import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { chart } from './chart.ts';
import { type Any, renderObjects } from './helm.ts';
import { KUBERNETES, objectChecker } from './kubernetes-schemas.ts';
import { REPRESENTATIVE } from './representative.ts';

/** Rules of the API server that its OpenAPI schemas do not hold. */
const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const KEY = /^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const LABEL = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

/** Fails unless name, labels and annotations of some metadata are legal. */
const expectLegal = (metadata: Any): void => {
  if (metadata.name !== undefined) expect(metadata.name).toMatch(NAME);
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    expect(key).toMatch(KEY);
    expect(value).toMatch(LABEL);
  }
  for (const [key, value] of Object.entries(metadata.annotations ?? {})) {
    expect(key).toMatch(KEY);
    expect(typeof value).toBe('string');
  }
};

/** As a name of the chart's, without the hash that tells contents apart. */
const withoutHash = ({ kind, metadata }: Any): string =>
  `${kind} ${metadata.name.replace(/[0-9a-f]{10}$/, 'HASH')}`;

test("the schemas are those of every Kubernetes minor that Chart.yaml's kubeVersion lets in", async () => {
  const { kubeVersion } = parse(await readFile(`${chart}/Chart.yaml`, 'utf8'));
  const minors = KUBERNETES.map((version) => Number(version.split('.')[1]));
  expect(kubeVersion).toBe(`>= 1.${minors[0]}.0-0`);
  expect(minors).toEqual(minors.map((_, index) => Number(minors[0]) + index));
});

describe.each(KUBERNETES)('Kubernetes %s', async (version) => {
  const check = await objectChecker(version);

  test.each(REPRESENTATIVE)('knows every field of what is made of $name', async ({ values }) => {
    const { objects } = await renderObjects(values);
    expect(objects.flatMap(check)).toEqual([]);
  });

  test.each([
    [
      'a field that is misspelt',
      (job: Any) => Object.assign(job.spec, { activeDeadlineSecond: 1 }),
      'activeDeadlineSecond',
    ],
    [
      'a number for a text',
      (job: Any) => Object.assign(job.spec.template.metadata.annotations, { port: 8181 }),
      '/spec/template/metadata/annotations/port',
    ],
    [
      'a text for a number',
      (job: Any) => Object.assign(job.spec, { backoffLimit: '0' }),
      '/spec/backoffLimit',
    ],
    [
      'a number too large',
      (job: Any) => Object.assign(job.spec, { backoffLimit: 2 ** 31 }),
      '/spec/backoffLimit',
    ],
    ['a missing field', (job: Any) => delete job.spec.template.spec.containers[0].name, 'containers/0'],
  ])('would refuse %s', async (_name, spoil, named) => {
    const { objects } = await renderObjects(REPRESENTATIVE[0]?.values);
    const job = structuredClone(objects.find((object) => object.kind === 'Job'));
    spoil(job);
    expect(check(job)).toEqual([expect.stringContaining(named)]);
  });
});

describe.concurrent('what is made', () => {
  test.each(REPRESENTATIVE)(
    'is exactly this, with legal names, labels and annotations: $name',
    async (one) => {
      const { objects } = await renderObjects(one.values);
      expect(objects.map(withoutHash)).toEqual(one.objects);
      for (const object of objects) {
        expectLegal(object.metadata);
        if (object.kind === 'Job') expectLegal(object.spec.template.metadata);
      }
    },
  );
});
