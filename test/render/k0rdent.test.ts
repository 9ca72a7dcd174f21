import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { renderCatalog } from '../../src/catalog/index.ts';
import { readFolder } from '../../src/chart/index.ts';
import { parseValues, readExamples, sveltosTexts } from '../examples.ts';
import { chart, scratchFolder } from './chart.ts';
import { type Any, FULL, helm, render } from './helm.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const templates = await readFolder(path.join(root, 'catalog-templates'));
const entry = renderCatalog({ version: '0.3.0', aicrVersion: 'v1.2.0', templates });
const fileOf = (name: string): string =>
  new TextDecoder().decode(entry.find((file) => file.path === `apps/aicr/${name}`)?.data);

/** The catalogue's wrapper with the chart in it, as `helm dependency update` leaves it. */
const wrapper = ((): string => {
  const folder = path.join(scratchFolder('wrapper'), 'nvidia-aicr');
  mkdirSync(path.join(folder, 'charts'), { recursive: true });
  cpSync(chart, path.join(folder, 'charts', 'nvidia-aicr'), { recursive: true });
  writeFileSync(path.join(folder, 'Chart.yaml'), fileOf('charts/nvidia-aicr-0.3.0/Chart.yaml'));
  return folder;
})();

/** The catalogue takes the outer key off: it names the service. */
const service: Any = parseValues(fileOf('example/values.yaml'))['nvidia-aicr'];
const place = { release: 'nvidia-aicr', namespace: 'aicr' };

describe('delivered by the catalog of k0rdent', () => {
  test('makes the same objects in the wrapper chart as on its own', async () => {
    const [wrapped, plain] = await Promise.all([
      render(service, { ...place, chart: wrapper }),
      render(service['nvidia-aicr'], place),
    ]);
    expect(wrapped.objects).toEqual(plain.objects);
  });

  test('has pods of the name that the catalog waits for', async () => {
    const { job } = await render(service, { ...place, chart: wrapper });
    expect(job.metadata.name).toMatch(/^nvidia-aicr-install-/);
  });

  // kcm finds what belongs to a service by these, and its rule for pods wants Ready, which a finished pod never is.
  test.each(['release', 'app', 'app.kubernetes.io/instance', 'app.kubernetes.io/name'])(
    'has no pod that k0rdent would wait for by the label %s',
    async (label) => {
      const labels = { release: 'x', app: 'x' };
      const { job } = await render({ ...FULL, commonLabels: labels }, place);
      expect(job.spec.template.metadata.labels).not.toHaveProperty([label]);
    },
  );

  test('has a Job that its health rule finds', async () => {
    const { job } = await render(FULL, place);
    expect(job.metadata.labels).toHaveProperty(['app.kubernetes.io/instance'], 'nvidia-aicr');
  });
});

/** Runs a text through the templates of Go and sprig, which Sveltos uses for values; helm has the same ones. */
const throughTemplates = async (text: string): Promise<string> => {
  const folder = path.join(scratchFolder('sveltos'), 'texts');
  mkdirSync(path.join(folder, 'templates'), { recursive: true });
  writeFileSync(path.join(folder, 'Chart.yaml'), 'apiVersion: v2\nname: texts\nversion: 1.0.0\n');
  writeFileSync(path.join(folder, 'templates', 'one.yaml'), text);
  const { ok, stdout, stderr } = await helm(4, ['template', 'x', folder]);
  expect([ok, stderr]).toEqual([true, '']);
  return stdout.replace(/^---\n# Source: .*\n/, '').trim();
};

describe('values that Sveltos runs through its templates', async () => {
  const examples = await readExamples();
  const texts = examples.flatMap((example) =>
    sveltosTexts(example).map((text) => [example.place, text] as const),
  );
  const braced = texts.filter(([, text]) => text.includes('{{'));

  test.each(texts.filter(([, text]) => text !== '' && !text.includes('{{')))(
    'come out as they went in: %s',
    async (_place, text) => {
      expect(await throughTemplates(text)).toBe(text.trim());
    },
  );

  test('keep their braces when they are written as the page says', async () => {
    expect(braced.map(([where]) => where.split(':')[0])).toEqual(['docs/k0rdent.md']);
    const out = parseValues(await throughTemplates(braced[0]?.[1] ?? ''));
    expect(out.job.podAnnotations).toEqual({ 'example.com/template': '{{ .Name }}' });
    const { job } = await render(out, place);
    expect(job.spec.template.metadata.annotations['example.com/template']).toBe('{{ .Name }}');
  });

  test('are not in what the chart makes', async () => {
    const { text } = await render(FULL, place);
    expect(text).not.toMatch(/\{\{/);
  });
});
