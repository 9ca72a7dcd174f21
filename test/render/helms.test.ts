import { writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { packChart, renderChart } from '../../src/chart/index.ts';
import { chart, chartSources, scratchFolder } from './chart.ts';
import { FULL, helm, refuse, render, valuesFile } from './helm.ts';

const examples = new URL('../../examples/', import.meta.url).pathname;

describe.concurrent('the chart', () => {
  test.each([3, 4] as const)('passes the strict lint of Helm %i', async (generation) => {
    for (const values of [{}, FULL]) {
      const { ok, stdout, stderr } = await helm(generation, [
        'lint',
        '--strict',
        chart,
        '-f',
        valuesFile(values),
      ]);
      expect([ok, stdout, stderr]).toEqual([
        true,
        expect.stringContaining('0 chart(s) failed'),
        expect.anything(),
      ]);
      expect(stdout).not.toMatch(/WARNING|ERROR/);
    }
  });

  test.each([
    'v1.32.0',
    'v1.33.5-gke.2392000',
    'v1.34.1-eks-931bdca',
    'v1.32.1+k3s1',
    'v1.32.4+rke2r1',
    'v1.36.2+k0s',
  ])('is for Kubernetes %s', async (version) => {
    const { objects } = await render(FULL, { args: ['--kube-version', version] });
    expect(objects).toEqual((await render(FULL)).objects);
  });

  test.each(['v1.31.10-eks-931bdca', 'v1.31.9'])('is not for Kubernetes %s', async (version) => {
    expect(await refuse(FULL, { args: ['--kube-version', version] })).toContain('1.32.0');
  });

  test.each([3, 4] as const)('is the same chart as an archive, for Helm %i', async (generation) => {
    const archive = path.join(scratchFolder('archive'), 'chart.tgz');
    writeFileSync(archive, await packChart(renderChart(await chartSources())));
    const values = valuesFile(FULL);
    const [folder, packed] = await Promise.all([
      helm(generation, ['template', 'rel', chart, '-f', values]),
      helm(generation, ['template', 'rel', archive, '-f', values]),
    ]);
    expect(packed).toEqual(folder);
    expect(packed.ok).toBe(true);
    const shown = await helm(generation, ['show', 'chart', archive]);
    expect(shown.stdout).toContain('appVersion: v1.2.0');
  });

  test('renders every example', async () => {
    const files = (await readdir(examples)).filter((file) => file.endsWith('.yaml'));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) await render(await readFile(path.join(examples, file), 'utf8'));
  });
});
