import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  chartSchema,
  defaultsOf,
  helmValues,
  keysOf,
  readModel,
  type SchemaNode,
  type ValuesSchema,
  valuesTable,
  valuesYaml,
} from '../../src/schema/index.ts';
import { leaf, realModel, sourceWith } from './sources.ts';

describe('the model', () => {
  test('has the keys of each section in the order of the source', () => {
    const group: SchemaNode = { 'x-section': 'Two', type: 'object', properties: { b: leaf(1), a: leaf([]) } };
    const read = readModel({
      'x-sections': [
        { name: 'One', text: 'First.' },
        { name: 'Two', text: '' },
      ],
      definitions: {},
      properties: { group, z: leaf('x', 'One'), a: leaf(null, 'One') },
    });
    expect(read.sections.map(({ name, text }) => [name, text])).toEqual([
      ['One', 'First.'],
      ['Two', ''],
    ]);
    expect(keysOf(read).map((key) => key.path)).toEqual([['z'], ['a'], ['group', 'b'], ['group', 'a']]);
    expect(defaultsOf(read)).toEqual({ z: 'x', a: null, group: { b: 1, a: [] } });
  });

  test('reads everything that a key states', () => {
    const [key] = keysOf(readModel(sourceWith({ examples: ['a'], 'x-runSpec': 'run.id', default: 'd' })));
    expect(key).toMatchObject({
      kind: 'key',
      name: 'key',
      path: ['key'],
      description: 'Does.',
      default: 'd',
      examples: ['a'],
      runSpec: 'run.id',
    });
  });

  test('sends nothing to run.json that does not say where', () => {
    expect(keysOf(readModel(sourceWith({}))).map(({ runSpec, examples }) => [runSpec, examples])).toEqual([
      ['', []],
    ]);
  });

  test.each([
    [{ default: '' }, 'values.schema.json: key.inner has no description'],
    [{ description: 'Does.' }, 'values.schema.json: key.inner has no default'],
  ])('names a key within a map that is not complete', (inner, message) => {
    const group = { 'x-section': 'One', type: 'object', properties: { inner: inner as SchemaNode } };
    expect(() => readModel({ ...sourceWith({}), properties: { key: group } })).toThrow(message);
  });

  test('puts definitions in the place of references, below what stands beside them', () => {
    const definitions: Record<string, SchemaNode> = {
      text: { type: 'string', pattern: '^a', description: 'Of the definition.' },
      same: { $ref: '#/definitions/text', minLength: 2 },
      list: { type: 'array', items: { $ref: '#/definitions/same' } },
      map: { type: 'object', additionalProperties: { $ref: '#/definitions/list' } },
      some: { patternProperties: { '^x': { $ref: '#/definitions/text' } } },
    };
    const schemaOf = (name: string) =>
      readModel(sourceWith({ $ref: `#/definitions/${name}` }, definitions)).schema.properties?.['key'];
    const text = { type: 'string', pattern: '^a', description: 'Of the definition.' };
    const same = { ...text, minLength: 2 };
    expect(schemaOf('same')).toMatchObject({ pattern: '^a', minLength: 2, description: 'Does.' });
    expect(schemaOf('list')).toMatchObject({ items: same });
    expect(schemaOf('map')).toMatchObject({ additionalProperties: { items: same } });
    expect(schemaOf('some')).toMatchObject({ patternProperties: { '^x': text } });
    expect(JSON.stringify(realModel().schema.properties)).not.toContain('$ref');
  });

  test('takes a map with a default for one value, and one without for a group', () => {
    const properties = { a: leaf(1) };
    const map = { type: 'object', properties, default: { a: 2 } };
    expect(keysOf(readModel(sourceWith(map as SchemaNode))).map((key) => key.path)).toEqual([['key']]);
    const { default: _, ...group } = { ...map };
    const grouped = {
      ...sourceWith({}),
      properties: { key: { 'x-section': 'One', ...group } as SchemaNode },
    };
    expect(keysOf(readModel(grouped)).map((key) => key.path)).toEqual([['key', 'a']]);
  });

  test('leaves hidden keys out', () => {
    expect(keysOf(readModel(sourceWith({ 'x-hidden': true })))).toEqual([]);
    expect(keysOf(realModel()).map((key) => key.path.join('.'))).not.toContain('environment.k0sContainerd');
  });

  test.each([
    ['no description', { description: undefined }, 'key has no description'],
    ['no default', { default: undefined }, 'key has no default'],
    ['no section', { 'x-section': undefined }, 'key: no section ""'],
    ['an unknown section', { 'x-section': 'Three' }, 'key: no section "Three"'],
    ['an unknown reference', { $ref: '#/definitions/none' }, '#/definitions/none is not defined'],
  ])('refuses a key with %s', (_name, change, message) => {
    const broken = JSON.parse(JSON.stringify(sourceWith(change as SchemaNode))) as ValuesSchema;
    expect(() => readModel(broken)).toThrow(message);
  });
});

describe("the chart's schema", () => {
  const validatorOf = (schema: SchemaNode) =>
    new Ajv({ strict: true, allowUnionTypes: true, strictRequired: false }).compile(schema);

  test('is a draft-07 schema in one piece, without keywords of our own', () => {
    const schema = chartSchema(realModel());
    expect(schema['$schema']).toBe('http://json-schema.org/draft-07/schema#');
    const text = JSON.stringify(schema);
    for (const word of ['"x-', '$ref', '$id', '"definitions"', 'tsType', 'propertyNames']) {
      expect(text).not.toContain(word);
    }
  });

  test('takes the defaults, every example, null for every value, and what umbrella charts add', () => {
    const model = realModel();
    const validate = validatorOf(chartSchema(model));
    const values = [
      {},
      defaultsOf(model),
      { global: { region: 'eu' }, enabled: true },
      ...keysOf(model).flatMap((key) => [null, ...key.examples].map((value) => nest(key.path, value))),
    ];
    for (const value of values) {
      validate(value);
      expect([value, validate.errors]).toEqual([value, null]);
    }
  });

  test('refuses what is no value, at every level', () => {
    const validate = validatorOf(chartSchema(realModel()));
    for (const value of [{ x: 1 }, { job: { x: 1 } }, { rbac: { x: 1 } }, { dataPackAuth: { x: 1 } }]) {
      expect(validate(value)).toBe(false);
    }
  });

  test('does not make elements of lists null', () => {
    const validate = validatorOf(chartSchema(realModel()));
    expect(validate({ recipeArgs: [null] })).toBe(false);
  });
});

describe('values.yaml', () => {
  test('is the defaults, in YAML 1.1 as Helm reads it', () => {
    const model = realModel();
    const text = valuesYaml(model);
    expect(parse(text, { version: '1.1' })).toEqual(defaultsOf(model));
    expect(text).not.toMatch(/: null$/m);
  });

  test('has a heading for each section and a comment above each key, none too long', () => {
    const model = realModel();
    const text = valuesYaml(model);
    for (const { name } of model.sections) expect(text).toContain(`# ---- ${name} ---`);
    const lines = text.split('\n');
    for (const key of keysOf(model)) {
      const indent = '  '.repeat(key.path.length - 1);
      const at = lines.findIndex((line) => line.startsWith(`${indent}${key.name}:`));
      expect(lines[at - 1]).toMatch(new RegExp(`^${indent}# `));
    }
    for (const line of lines) {
      if (/^\s*# /.test(line) && !/^\s*# {2,}|Example/.test(line))
        expect(line.length).toBeLessThanOrEqual(100);
    }
  });

  test('shows an example as it would be written', () => {
    const text = valuesYaml(realModel());
    expect(text).toContain('# Example: accelerator: h100\naccelerator: ""');
    expect(text).toContain('# Example:\n#   recipeArgs:\n#     - --nodes\n#     - "16"\nrecipeArgs: []');
    const examples = valuesYaml(
      readModel(sourceWith({ description: 'word '.repeat(60).trim(), examples: ['on'] })),
    );
    expect(examples).toContain('# Example: key: "on"\nkey: ""');
    expect(examples.match(/^# (word ?)+$/gm)).toHaveLength(4);
  });
});

test('the table has one row for each key', () => {
  const model = realModel();
  const rows = valuesTable(model)
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  expect(rows.map((row) => row.split('`')[1])).toEqual(keysOf(model).map((key) => key.path.join('.')));
  const [row] = valuesTable(readModel(sourceWith({ description: 'a|b', default: 'c|d' })))
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  expect(row).toBe('| `key` | `"c\\|d"` | a\\|b |');
});

test("the templates' defaults are literals of Helm", () => {
  const literal = (value: SchemaNode['default']): string => {
    const [line = ''] = helmValues(
      readModel(sourceWith(value === undefined ? {} : { default: value })),
    ).split('\n');
    return line.replace('  "key" (dig "key" ', '').replace(' $given)', '');
  };
  expect(literal('a"b')).toBe('"a\\"b"');
  expect(literal(5)).toBe('5');
  expect(literal(false)).toBe('false');
  expect(literal([])).toBe('(list)');
  expect(literal({})).toBe('(dict)');
  expect(literal({ a: ['b', { c: 1 }] })).toBe('(dict "a" (list "b" (dict "c" 1)))');
  expect(literal({ a: 1, b: null })).toBe('(dict "a" 1 "b" null)');
});

function nest(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner: unknown, name) => ({ [name]: inner }), value);
}
