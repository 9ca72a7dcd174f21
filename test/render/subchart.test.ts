import { rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readExamples } from '../examples.ts';
import { chart } from './chart.ts';
import { FULL, helm, objectsIn, refuse, render, renderObjects, valuesFile } from './helm.ts';
import { umbrella } from './umbrella.ts';

/** The charts of the page, each with the values that follow it. */
const page = (await readExamples()).filter(({ place }) => place.startsWith('docs/umbrella.md:'));
const shown = page.flatMap(({ text }, index) =>
  text.startsWith('apiVersion: v2') ? [[parse(text).dependencies, page[index + 1]?.text]] : [],
);

const OURS = { name: 'nvidia-aicr', version: '0.3.0' };
const GLOBAL = { global: { imageRegistry: 'r.example', region: 'eu' } };
const plain = umbrella([OURS]);
const conditional = umbrella([{ ...OURS, condition: 'nvidia-aicr.enabled' }]);
const aliased = umbrella([{ ...OURS, alias: 'gpu' }]);

describe.concurrent('as a sub-chart', () => {
  test.each([
    ['by its own name', plain, { ...GLOBAL, 'nvidia-aicr': FULL }],
    ['under an alias', aliased, { ...GLOBAL, gpu: FULL }],
    ['with a condition', conditional, { ...GLOBAL, 'nvidia-aicr': { ...FULL, enabled: true } }],
    ['with values of the umbrella', umbrella([OURS], { 'nvidia-aicr': FULL, ...GLOBAL }), {}],
  ])('makes the same objects: %s', async (_name, folder, values) => {
    const [root, sub] = await Promise.all([render(FULL), render(values, { chart: folder })]);
    expect(sub.objects).toEqual(root.objects);
  });

  test('makes nothing when its condition is false', async () => {
    const values = { 'nvidia-aicr': { enabled: false } };
    expect((await renderObjects(values, { chart: conditional })).objects).toEqual([]);
  });

  test('still refuses what is no value, and names it', async () => {
    expect(await refuse({ 'nvidia-aicr': { ...FULL, aicrr: {} } }, { chart: conditional })).toContain(
      'aicrr',
    );
  });

  test('still asks its guards', async () => {
    expect(await refuse({ 'nvidia-aicr': {} }, { chart: plain })).toMatch(/^accelerator: no criteria/);
  });

  test('takes numbers from the values of an umbrella as they are', async () => {
    const job = {
      activeDeadlineSeconds: 1_000_000,
      extraEnv: [{ name: 'LIMIT', value: 8_388_608 }],
      podSecurityContext: { runAsUser: 1_000_660_000 },
    };
    const [root, sub] = await Promise.all([
      render({ ...FULL, job }),
      render({}, { chart: umbrella([OURS], { 'nvidia-aicr': { ...FULL, job } }) }),
    ]);
    expect(sub.objects).toEqual(root.objects);
    expect(sub.text).not.toMatch(/\de\+/);
  });

  test('reads null in the values of an umbrella as the default', async () => {
    const nulls = { recipeFlags: null, runId: null, environment: null, job: { tolerations: null } };
    const [root, sub] = await Promise.all([
      render(FULL),
      render({}, { chart: umbrella([OURS], { 'nvidia-aicr': { ...FULL, ...nulls } }) }),
    ]);
    expect(sub.objects).toEqual(root.objects);
  });

  test.each([
    ['by its own name', 'nvidia-aicr', plain],
    ['under an alias', 'gpu', aliased],
  ])('leaves out what is null in a map, where no default stands behind it: %s', async (_, name, folder) => {
    const nothing = { 'example.com/a': null };
    const values = {
      ...FULL,
      commonLabels: nothing,
      commonAnnotations: nothing,
      serviceAccount: { annotations: nothing },
      job: { annotations: nothing, podLabels: nothing, podAnnotations: nothing, nodeSelector: nothing },
    };
    const [root, sub] = await Promise.all([render(FULL), render({ [name]: values }, { chart: folder })]);
    expect(sub.objects).toEqual(root.objects);
  });

  test('lets the platform pick the user through an umbrella', async () => {
    const nothing = { runAsUser: '', runAsGroup: '', fsGroup: '' };
    const values = { 'nvidia-aicr': { ...FULL, job: { podSecurityContext: nothing } } };
    const { pod } = await render({}, { chart: umbrella([OURS], values) });
    expect(pod.securityContext).toEqual({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
  });

  test('stands twice in one umbrella with fullnameOverride', async () => {
    const twice = umbrella([
      { ...OURS, alias: 'first', condition: 'first.enabled' },
      { ...OURS, alias: 'second', condition: 'second.enabled' },
    ]);
    const one = { ...FULL, enabled: true };
    const second = { ...one, fullnameOverride: 'second', recipeConfigMap: 'second' };
    const both = await renderObjects({ ...GLOBAL, first: one, second }, { chart: twice });
    const names = both.objects.map((object) => `${object.kind}/${object.metadata.name}`);
    expect(new Set(names).size).toBe(10);
    const without = await renderObjects(
      { ...GLOBAL, first: one, second: { ...second, enabled: false } },
      { chart: twice },
    );
    // Switching one off or on does not change the other.
    expect(without.objects).toEqual((await render(FULL)).objects);
    expect(both.objects).toEqual(expect.arrayContaining([...without.objects]));
  });

  test.each([
    ['once', 0, ['rel-install-']],
    ['twice', 1, ['gpu-check-install-', 'gpu-stack-install-']],
  ] as const)('works as the page shows it, %s', async (_times, index, prefixes) => {
    const [dependencies, values] = shown[index] ?? [];
    const local = dependencies.map((one: object) => ({ ...one, repository: `file://${chart}` }));
    const { objects } = await renderObjects(values, { chart: umbrella(local) });
    const jobs = objects.filter(({ kind }) => kind === 'Job').map(({ metadata }) => metadata.name);
    expect(jobs).toEqual(prefixes.map((prefix) => expect.stringMatching(`^${prefix}`)));
  });

  test.each([3, 4] as const)('is fetched as a dependency by Helm %i', async (generation) => {
    const [dependencies, values] = shown[0] ?? [];
    const local = dependencies.map((one: object) => ({ ...one, repository: `file://${chart}` }));
    const folder = umbrella(local);
    rmSync(path.join(folder, 'charts'), { recursive: true });
    const fetched = await helm(generation, ['dependency', 'update', folder]);
    expect([fetched.ok, fetched.stderr]).toEqual([true, '']);
    const { stdout } = await helm(generation, [
      'template',
      'rel',
      folder,
      '-n',
      'ns',
      '-f',
      valuesFile(values),
    ]);
    expect(objectsIn(stdout)).toEqual((await render(FULL)).objects);
  });
});
