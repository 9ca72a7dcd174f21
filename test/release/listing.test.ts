import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Json } from '../../src/schema/index.ts';
import { annotationsOf } from '../chart/annotations.ts';
import { buildChart } from '../render/chart.ts';
import { FULL, helm, render } from '../render/helm.ts';

const CHANGELOG = '## [1.0.0] - 2026-01-02\n### Fixed\n- One: `a`, "b".\n';

describe('the annotations for Artifact Hub', () => {
  test('name the images that the chart renders, by digest', async () => {
    const annotations = await annotationsOf({});
    const images = parse(annotations['artifacthub.io/images'] ?? '') as { name: string; image: string }[];
    const { pod } = await render({ ...FULL, dataPack: 'r.example/pack:1' });
    const rendered = [...pod.initContainers, ...pod.containers].map(({ image }: { image: string }) => image);
    expect(images.map(({ image }) => image).sort()).toEqual([...new Set(rendered)].sort());
    expect(images.map(({ name }) => name).sort()).toEqual(['node', 'oras', 'runtime']);
    for (const { image } of images) expect(image).toMatch(/@sha256:[0-9a-f]{64}$/);
  });

  test('are texts only, and both helms find the chart good', async () => {
    const chart = await buildChart({
      version: '1.0.0',
      changelog: CHANGELOG,
      repository: 'https://github.com/o/r',
    });
    for (const generation of [3, 4] as const) {
      const { ok, stdout } = await helm(generation, ['lint', '--strict', chart, '--set', 'accelerator=h100']);
      expect(stdout).toContain('1 chart(s) linted, 0 chart(s) failed');
      expect(ok).toBe(true);
      const shown = await helm(generation, ['show', 'chart', chart]);
      const { annotations } = parse(shown.stdout) as { annotations: { [key: string]: Json } };
      for (const value of Object.values(annotations)) expect(typeof value).toBe('string');
      expect(annotations).toEqual(
        await annotationsOf({ version: '1.0.0', changelog: CHANGELOG, repository: 'https://github.com/o/r' }),
      );
    }
  });
});
