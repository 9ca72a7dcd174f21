import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureTools, helmPath } from '../../hack/cluster/index.ts';
import { isTemplate, showing, withMarkers } from '../../hack/mutation/catalogue/index.ts';
import { chartProject } from '../../hack/mutation/chart-project.ts';
import { applyMutant, type Mutant, mutantsOf, type SourceFile } from '../../hack/mutation/index.ts';
import { parseTemplate } from '../../hack/mutation/template/index.ts';
import { chart } from '../render/chart.ts';

const files = await chartProject.chart();
const mutants = mutantsOf(files);

const idOf = (text: string, operator: string, path: string, place: string): string | undefined =>
  mutantsOf([{ path, text }]).find((one) => one.operator === operator && one.original.includes(place))?.id;

describe('the mutants of the chart', () => {
  test('are many, and each has an id and a text of its own', () => {
    expect(mutants.length).toBeGreaterThan(1000);
    expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length);
    const texts = new Map(files.map(({ path: name, text }) => [name, text]));
    const made = mutants.map((one) => `${one.file}\0${applyMutant(one, texts.get(one.file) ?? '')}`);
    expect(new Set(made).size).toBe(mutants.length);
    for (const { file, text } of mutants.map((one) => ({ ...one, text: texts.get(one.file) }))) {
      expect(made).not.toContain(`${file}\0${text}`);
    }
  });

  test('come in the same order with the same ids every time', () => {
    expect(mutantsOf([...files].reverse())).toEqual(mutants);
  });

  test('touch every file that renders, and every kind of place that may hide no fault', () => {
    const touched = new Set(mutants.map(({ file }) => file));
    expect([...touched].sort()).toEqual(files.map(({ path: name }) => name).sort());
    expect(new Set(mutants.map(({ area }) => area))).toEqual(
      new Set(['guards', 'rbac', 'security', 'secret', 'other']),
    );
  });
});

describe('an id', () => {
  const text = '{{ define "a" }}\nb: {{ .c | quote }}\n{{ end }}\n';

  test('stays when the file changes elsewhere', () => {
    const changed = `# before\n{{ define "x" }}{{ .y | quote }}{{ end }}\n${text}z: 1\n`;
    const before = idOf(text, 'drop-action', 'templates/_a.tpl', '.c');
    expect(before).toMatch(/^[0-9a-f]{10}$/);
    expect(idOf(changed, 'drop-action', 'templates/_a.tpl', '.c')).toBe(before);
  });

  test.each([
    ['its line', text.replace('b:', 'd:')],
    ['its define', text.replace('"a"', '"e"')],
  ])('changes with %s', (_name, changed) => {
    expect(idOf(changed, 'drop-action', 'templates/_a.tpl', '.c')).not.toBe(
      idOf(text, 'drop-action', 'templates/_a.tpl', '.c'),
    );
  });
});

describe('the area of a mutant', () => {
  const areas = (name: string, text: string): ReadonlySet<string> =>
    new Set(mutantsOf([{ path: `templates/${name}`, text }]).map(({ area }: Mutant) => area));

  test.each([
    ['guards', '_guards.tpl', '{{ define "g" }}{{ fail "a" }}{{ end }}'],
    ['guards', '_a.tpl', '{{ define "x.guard.y" }}{{ fail "a" }}{{ end }}'],
    ['rbac', 'new.yaml', 'kind: ClusterRole\nrules: []\n'],
    ['rbac', 'sa.yaml', 'kind: ServiceAccount\n'],
    ['secret', 'new.yaml', 'kind: Secret\ndata: {a: b}\n'],
    ['secret', 'job.yaml', 'secretName: a\n'],
    ['security', 'job.yaml', 'runAsNonRoot: true\n'],
    ['security', '_a.tpl', '{{ define "x.securityContext" }}a{{ end }}'],
    ['other', 'job.yaml', 'kind: Job\n'],
  ])('is %s in %s with %j', (area, name, text) => {
    expect(areas(name, text)).toEqual(new Set([area]));
  });
});

describe('coverage markers', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'nvidia-aicr-markers-'));
  beforeAll(async () => {
    await ensureTools(['helm3', 'helm4']);
  }, 20 * 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each([3, 4] as const)('render nothing with Helm %i', async (generation) => {
    const marked = path.join(folder, `marked-${generation}`);
    cpSync(chart, marked, { recursive: true });
    for (const file of files.filter(({ path: name }) => isTemplate(name))) {
      writeFileSync(path.join(marked, file.path), withMarkers(file, parseTemplate(file.text)));
    }
    const render = async (from: string): Promise<string> => {
      const args = ['template', 'rel', from, '--set', 'accelerator=h100,dataPack=r.example/p:1,runId=1'];
      return (await promisify(execFile)(helmPath(generation), args)).stdout;
    };
    expect(await render(marked)).toBe(await render(chart));
  });

  test('stand in every body, and keep what is trimmed', () => {
    const text = 'a\n{{- if .b -}}\nc\n{{- else }}\nd\n{{- end }}\n';
    const marker = (index: number, close: string) =>
      `{{ $_ := lookup "v1" "Coverage" "" "templates/a.yaml#${index}" ${close}`;
    expect(withMarkers({ path: 'templates/a.yaml', text }, parseTemplate(text))).toBe(
      `${marker(0, '}}')}a\n{{- if .b -}}${marker(1, '-}}')}\nc\n{{- else }}${marker(2, '}}')}\nd\n{{- end }}\n`,
    );
  });
});

test('what shows a define is known', () => {
  const template = (name: string, text: string): SourceFile => ({ path: `templates/${name}`, text });
  const shows = showing([
    template(
      '_a.tpl',
      '{{ define "a" }}1{{ end }}{{ define "b" }}{{ include "a" . }}{{ end }}{{ define "p.c" }}{{ end }}',
    ),
    template('direct.yaml', 'x: {{ include "a" . }}'),
    template('deep.yaml', 'x: {{ template "b" . }}'),
    template('any.yaml', 'x: {{ include (printf "p.%s" .y) . }}'),
    template('none.yaml', 'x: 1'),
  ]);
  expect(shows('templates/_a.tpl', 'a')).toEqual(['templates/direct.yaml', 'templates/deep.yaml']);
  expect(shows('templates/_a.tpl', 'p.c')).toEqual(['templates/any.yaml']);
  expect(shows('templates/none.yaml', '')).toEqual(['templates/none.yaml']);
});
