import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { chart, scratchFolder } from './chart.ts';
import { FULL, refuse, render, renderObjects } from './helm.ts';

/** An umbrella chart with our chart in it. */
const umbrella = (dependencies: readonly object[], values: object = {}): string => {
  const folder = path.join(scratchFolder('umbrella'), 'umbrella');
  mkdirSync(path.join(folder, 'charts'), { recursive: true });
  cpSync(chart, path.join(folder, 'charts', 'nvidia-aicr'), { recursive: true });
  const metadata = { apiVersion: 'v2', name: 'umbrella', version: '1.0.0', dependencies };
  writeFileSync(path.join(folder, 'Chart.yaml'), JSON.stringify(metadata));
  writeFileSync(path.join(folder, 'values.yaml'), JSON.stringify(values));
  return folder;
};

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

  test('lets the platform pick the user through an umbrella', async () => {
    const nothing = { runAsUser: '', runAsGroup: '', fsGroup: '' };
    const values = { 'nvidia-aicr': { ...FULL, job: { podSecurityContext: nothing } } };
    const { pod } = await render({}, { chart: umbrella([OURS], values) });
    expect(pod.securityContext).toEqual({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
  });

  test('stands twice in one umbrella with fullnameOverride', async () => {
    const twice = umbrella([OURS, { ...OURS, alias: 'second' }]);
    const values = {
      'nvidia-aicr': FULL,
      second: { ...FULL, fullnameOverride: 'second', recipeConfigMap: 'second' },
    };
    const { objects } = await renderObjects(values, { chart: twice });
    const names = objects.map((object) => `${object.kind}/${object.metadata.name}`);
    expect(new Set(names).size).toBe(10);
  });
});
