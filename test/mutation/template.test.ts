import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Node, parseTemplate, printTemplate, SyntaxFault } from '../../hack/mutation/template/index.ts';
import { buildChart } from '../render/chart.ts';

const templatesOf = async (chart: string): Promise<readonly (readonly [string, string])[]> => {
  const folder = path.join(chart, 'templates');
  const names = (await readdir(folder)).sort();
  return Promise.all(
    names.map(async (name) => [name, await readFile(path.join(folder, name), 'utf8')] as const),
  );
};

/** Nodes with everything below them. */
const walk = (nodes: readonly Node[]): readonly Node[] =>
  nodes.flatMap((node) => [
    node,
    ...(node.kind === 'block' ? node.branches.flatMap(({ body }) => walk(body)) : []),
  ]);

const templates = await templatesOf(await buildChart());

describe('a template', () => {
  test.each(templates)('of the chart prints as it was: %s', (_name, source) => {
    expect(printTemplate(parseTemplate(source))).toBe(source);
  });

  test.each([
    ['nothing', ''],
    ['text alone', 'a: b\n'],
    ['braces that open nothing', 'a: {b: {c: d}}\n} }} {\n'],
    ['trims', 'a {{- "b" -}} c {{ -3 }} {{-3}}'],
    ['comments', '{{/* }} {{ */}}{{- /*\n a */ -}} b'],
    ['raw strings', '{{ `a }} "b` }}{{ regexMatch `^\\d+$` .x }}'],
    ['quotes in strings', '{{ "}} \\" {{" }}{{ \'"\' }}'],
    ['actions over lines', '{{- $x := dict\n  "a" 1\n  "b" (list 2 .c.d)\n  | toJson\n-}}'],
    ['numbers', '{{ 0x1F }}{{ 1_000 }}{{ -1.5e-3 }}{{ .5 }}{{ 0.0001 }}'],
    ['variables', '{{ $ }}{{ $.a.b }}{{ $x_1.y }}{{ range $k, $v := . }}{{ $k = $v }}{{ end }}'],
    ['groups with fields', '{{ (index .a 0).b.c }}{{ ((.d)) }}'],
    ['blank before a field', '{{ .a .b }}{{ f . .c $.d }}'],
    ['every branch', '{{ if a }}1{{ else if b }}2{{ else with c }}3{{ else }}4{{ end }}'],
    ['loops', '{{ range .a }}{{ break }}{{ continue }}{{ else }}-{{ end }}'],
    [
      'templates',
      '{{ define "a" }}{{ template "b" . }}{{ end }}{{ block "c" .d }}e{{ end }}{{ template `a` }}',
    ],
    ['letters of other scripts', '{{ .größe }}{{ $ß }}日本{{ "日本" }}'],
    ['Windows line ends', 'a:\r\n{{- if .b }}\r\n  c: d\r\n{{- end }}\r\n'],
  ])('prints as it was: %s', (_name, source) => {
    expect(printTemplate(parseTemplate(source))).toBe(source);
  });

  test('knows the place of each node', () => {
    const source = 'a\n{{ if .b }}c{{ else }}{{ .d | quote }}{{ end }}\n';
    const places = walk(parseTemplate(source).body).map(({ kind, start, end }) => [
      kind,
      source.slice(start, end),
    ]);
    expect(places).toEqual([
      ['text', 'a\n'],
      ['block', '{{ if .b }}c{{ else }}{{ .d | quote }}{{ end }}'],
      ['text', 'c'],
      ['action', '{{ .d | quote }}'],
      ['text', '\n'],
    ]);
  });

  test('knows what a pipeline is made of', () => {
    const [node] = parseTemplate('{{- $x := include "a" $ | trunc 63 | default (.b).c -}}').body;
    if (node?.kind !== 'action') throw new Error('not an action');
    expect(node.pipeline?.variables).toEqual(['$x']);
    expect(node.pipeline?.assign).toBe(':=');
    expect(node.pipeline?.commands.map(({ operands }) => operands.map(({ kind }) => kind))).toEqual([
      ['function', 'string', 'path'],
      ['function', 'number'],
      ['function', 'group'],
    ]);
  });

  test.each([
    ['an action that does not end', 'a\n  {{ .b', 'line 2, column 3'],
    ['a comment that does not end', '{{/* a }}', 'line 1, column 1'],
    ['a string that does not end', '{{ "a }}', 'line 1, column 4'],
    ['a block that does not end', 'a\n{{ if .b }}', 'line 2, column 1'],
    ['an end of nothing', 'a{{ end }}', 'line 1, column 2'],
    ['an else of nothing', '{{ else }}', 'line 1, column 1'],
    ['two elses', '{{ if a }}{{ else }}{{ else }}{{ end }}', 'line 1, column 21'],
    ['an else in a define', '{{ define "a" }}{{ else }}{{ end }}', 'line 1, column 17'],
    ['a name that is no text', '{{ define a }}{{ end }}', 'line 1, column 11'],
    ['an open parenthesis', '{{ (a }}', 'line 1, column 9'],
    ['a closing parenthesis', '{{ a) }}', 'line 1, column 5'],
    ['an empty action', '{{ }}', 'line 1, column 6'],
    ['an empty end of a pipeline', '{{ a | }}', 'line 1, column 10'],
    ['a sign of another language', '{{ a && b }}', 'line 1, column 6'],
  ])('with %s is refused with its place', (_name, source, place) => {
    expect(() => parseTemplate(source)).toThrow(SyntaxFault);
    expect(() => parseTemplate(source)).toThrow(place);
  });
});
