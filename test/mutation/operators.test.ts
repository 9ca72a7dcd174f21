import { describe, expect, test } from 'vitest';
import { applyMutant, mutantsOf } from '../../hack/mutation/index.ts';

/** What the operator makes of a template, one text for each mutant. */
const mutated = (operator: string, text: string, path = 'templates/a.yaml'): readonly string[] => {
  const schema = {
    properties: {
      name: { type: 'string' },
      other: { type: 'string' },
      flag: { type: 'boolean' },
      job: { properties: { image: { type: 'string' }, labels: { type: 'object' } } },
      hosts: { type: ['array', 'null'] },
    },
  };
  const files = [
    { path, text },
    { path: 'values.schema.json', text: JSON.stringify(schema) },
  ];
  return mutantsOf(files)
    .filter((mutant) => mutant.file === path && mutant.operator === operator)
    .map((mutant) => applyMutant(mutant, text));
};

/** What the operator makes of a values schema. */
const mutatedSchema = (operator: string, schema: object): readonly object[] => {
  const text = JSON.stringify(schema, null, 2);
  return mutantsOf([{ path: 'values.schema.json', text }])
    .filter((mutant) => mutant.operator === operator)
    .map((mutant) => JSON.parse(applyMutant(mutant, text)) as object);
};

const TEMPLATES: readonly (readonly [string, string, readonly string[]])[] = [
  ['drop-block', '{{ if .a }}b{{ end }}', ['{{ if false }}b{{ end }}']],
  [
    'drop-block',
    '{{ if .a }}b{{ else }}c{{ end }}',
    ['{{ if false }}b{{ else }}c{{ end }}', '{{ if .a }}b{{ else }}{{ end }}'],
  ],
  [
    'keep-block',
    '{{- if eq .a "x" }}b{{- else if .c }}d{{ end }}',
    ['{{- if true }}b{{- else if .c }}d{{ end }}', '{{- if eq .a "x" }}b{{- else if true }}d{{ end }}'],
  ],
  ['flip-condition', '{{ if or .a .b }}c{{ end }}', ['{{ if not (or .a .b) }}c{{ end }}']],
  [
    'empty-block',
    '{{ with $x := .a }}b{{ end }}{{ range $k, $v := .c }}d{{ end }}',
    [
      '{{ with $x := dict }}b{{ end }}{{ range $k, $v := .c }}d{{ end }}',
      '{{ with $x := .a }}b{{ end }}{{ range $k, $v := list }}d{{ end }}',
    ],
  ],
  [
    'drop-action',
    'a: {{ .b }}\n{{- $x := .c }}\n{{- $_ := set .d "e" $x }}\n',
    ['a: \n{{- $x := .c }}\n{{- $_ := set .d "e" $x }}\n', 'a: {{ .b }}\n{{- $x := .c }}\n{{- "" }}\n'],
  ],
  [
    'flip-logic',
    '{{ if and .a (eq .b 1) }}c{{ end }}',
    ['{{ if or .a (eq .b 1) }}c{{ end }}', '{{ if and .a (ne .b 1) }}c{{ end }}'],
  ],
  ['flip-logic', '{{ toString .constructor }}', []],
  ['drop-not', '{{ if not (has .a .b) }}c{{ end }}', ['{{ if (has .a .b) }}c{{ end }}']],
  ['swap-arguments', '{{ ternary "a" (f "b") .c }}', ['{{ ternary (f "b") "a" .c }}']],
  [
    'drop-function',
    'a: {{ .b | default "c" | quote }}',
    ['a: {{ .b | quote }}', 'a: {{ .b | default "c" }}'],
  ],
  ['drop-function', 'a: {{ required "a is missing" .a }}', ['a: {{ .a }}']],
  ['drop-function', '{{ omit (f .a) "b" "c" }}', ['{{ (f .a) }}']],
  ['shift-nindent', 'a:\n  {{- f . | nindent 2 }}\n', ['a:\n  {{- f . | nindent 0 }}\n']],
  // Two columns more are seen only beside others.
  [
    'shift-nindent',
    'a:\n  {{- f . | nindent 2 }}\n  b: c\n',
    ['a:\n  {{- f . | nindent 0 }}\n  b: c\n', 'a:\n  {{- f . | nindent 4 }}\n  b: c\n'],
  ],
  ['shift-nindent', '{{ with $v.hosts }}a:\n  {{- toYaml . | nindent 2 }}{{ end }}', []],
  ['swap-path', 'a: {{ .Values.name }}', ['a: {{ .Values.other }}']],
  ['swap-path', 'a: {{ $v.job.image }}{{ $.Values.flag }}', ['a: {{ $v.name }}{{ $.Values.flag }}']],
  ['swap-path', 'a: {{ .Release.Name }}', ['a: {{ .Release.Namespace }}']],
  [
    'change-literal',
    '{{ f "a" 1 true }}',
    ['{{ f "ax" 1 true }}', '{{ f "a" 2 true }}', '{{ f "a" 1 false }}'],
  ],
  ['change-literal', '{{ fail "this is wrong" }}', ['{{ fail "" }}']],
  [
    'change-literal',
    '{{ include "a" . }}{{ dig "a" "b" "c" .d }}',
    ['{{ include "a" . }}{{ dig "a" "bx" "c" .d }}', '{{ include "a" . }}{{ dig "a" "b" "cx" .d }}'],
  ],
  [
    'change-literal',
    'a: b # c\nd: {e: 1, f: "g"}\nh: [true]\n',
    [
      'a: bx # c\nd: {e: 1, f: "g"}\nh: [true]\n',
      'a: b # c\nd: {e: 2, f: "g"}\nh: [true]\n',
      'a: b # c\nd: {e: 1, f: "gx"}\nh: [true]\n',
      'a: b # c\nd: {e: 1, f: "g"}\nh: [false]\n',
    ],
  ],
  ['change-member', 'restartPolicy: Never\n', ['restartPolicy: OnFailure\n']],
  ['loosen-regex', '{{ regexMatch "^a$" .b }}', ['{{ regexMatch "a$" .b }}', '{{ regexMatch "^a" .b }}']],
  [
    'change-security-field',
    'runAsNonRoot: true\nreadOnly: false\n',
    ['runAsNonRoot: false\nreadOnly: false\n'],
  ],
  [
    'change-security-field',
    '{{ dict "allowPrivilegeEscalation" false }}',
    ['{{ dict "allowPrivilegeEscalation" true }}'],
  ],
  [
    'change-security-field',
    '{{ dict "runAsUser" (dig "a" "runAsUser" 65532 .b) }}',
    ['{{ dict "runAsUser" (dig "a" "runAsUser" 0 .b) }}'],
  ],
  ['drop-item', '{{ list "a" .b }}', ['{{ list .b }}', '{{ list "a" }}']],
  [
    'drop-item',
    'a:\n  - b\n  - c: d\n    e: f\ng: [h, i]\n',
    [
      'a:\n  - c: d\n    e: f\ng: [h, i]\n',
      'a:\n  - b\ng: [h, i]\n',
      'a:\n  - b\n  - c: d\n    e: f\ng: [i]\n',
      'a:\n  - b\n  - c: d\n    e: f\ng: [h]\n',
    ],
  ],
  ['drop-key', '{{ dict "a" 1 "b" .c }}', ['{{ dict "b" .c }}', '{{ dict "a" 1 }}']],
  // What is indented deeper goes with its key, a whole block among it.
  [
    'drop-key',
    'a:\n  {{- with .b }}\n  c: {{ . }}\n  {{- end }}\nd:\n- e\n',
    [
      'd:\n- e\n',
      'a:\n  {{- with .b }}\n  {{- end }}\nd:\n- e\n',
      'a:\n  {{- with .b }}\n  c: {{ . }}\n  {{- end }}\n',
    ],
  ],
  [
    'drop-key',
    'a:\n  - b: c\n    d: {e: f}\n',
    ['', 'a:\n  - d: {e: f}\n', 'a:\n  - b: c\n', 'a:\n  - b: c\n    d: {}\n'],
  ],
  ['drop-key', '# a: comment\n', []],
  [
    'drop-line',
    '{{ define "a" -}}\nTo be read by people.\n{{ .b }}-c\n{{- end }}',
    [
      '{{ define "a" -}}\n{{ .b }}-c\n{{- end }}',
      '{{ define "a" -}}\nTo be read by people.\n{{ .b }}\n{{- end }}',
    ],
  ],
];

const ROLE = 'kind: Role\nrules:\n  - apiGroups: [""]\n    resources: [pods]\n    verbs: [get]\n';
const BINDING =
  'kind: RoleBinding\nroleRef:\n  name: view\nsubjects:\n  - kind: ServiceAccount\n    name: a\n';

describe('an operator', () => {
  test.each(TEMPLATES)('%s: %j', (operator, text, expected) => {
    const path = operator === 'drop-line' ? 'templates/_a.tpl' : 'templates/a.yaml';
    expect(mutated(operator, text, path)).toEqual(expected);
  });

  test('widens rules and bindings', () => {
    expect(mutated('widen-rights', ROLE)).toEqual([
      ROLE.replace('Role', 'ClusterRole'),
      ROLE.replace('[""]', '["*"]'),
      ROLE.replace('[pods]', '["*"]'),
      ROLE.replace('[get]', '["*"]'),
    ]);
    expect(mutated('widen-rights', BINDING)).toEqual([
      BINDING.replace('RoleBinding', 'ClusterRoleBinding'),
      BINDING.replace('view', 'cluster-admin'),
      BINDING.replace('ServiceAccount', 'Group'),
    ]);
    expect(mutated('widen-rights', 'roleRef:\n  name: view\nverbs: [get]\n')).toEqual([]);
  });

  test('loosens and narrows a schema', () => {
    const schema = {
      type: 'object',
      required: ['a', 'b'],
      additionalProperties: false,
      properties: { a: { type: ['string', 'null'], pattern: '^x$' }, b: { enum: [1, 2], minimum: 1 } },
    };
    const { properties } = schema;
    const { a, b } = properties;
    const withA = (changed: object) => ({ ...schema, properties: { a: changed, b } });
    const withB = (changed: object) => ({ ...schema, properties: { a, b: changed } });
    const { required: _r, ...notRequired } = schema;
    const { additionalProperties: _p, ...open } = schema;
    expect(mutatedSchema('schema-drop-keyword', schema)).toEqual([
      notRequired,
      open,
      withA({ type: ['string', 'null'] }),
      withB({ minimum: 1 }),
      withB({ enum: [1, 2] }),
    ]);
    expect(mutatedSchema('schema-drop-member', schema)).toEqual([
      { ...schema, required: ['b'] },
      { ...schema, required: ['a'] },
      withB({ enum: [2], minimum: 1 }),
      withB({ enum: [1], minimum: 1 }),
    ]);
    expect(mutatedSchema('schema-drop-property', schema)).toEqual([
      { ...schema, properties: { b } },
      { ...schema, properties: { a } },
    ]);
    expect(mutatedSchema('schema-widen-type', schema)).toEqual([withA({ pattern: '^x$' })]);
    expect(mutatedSchema('schema-narrow-type', schema)).toEqual([
      withA({ type: ['null'], pattern: '^x$' }),
      withA({ type: ['string'], pattern: '^x$' }),
    ]);
    expect(mutatedSchema('schema-loosen-pattern', schema)).toEqual([
      withA({ type: ['string', 'null'], pattern: 'x$' }),
      withA({ type: ['string', 'null'], pattern: '^x' }),
    ]);
    expect(mutatedSchema('schema-change-limit', schema)).toEqual([
      withB({ enum: [1, 2], minimum: 0 }),
      withB({ enum: [1, 2], minimum: 2 }),
    ]);
  });
});
