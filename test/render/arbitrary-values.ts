import fc, { type Arbitrary } from 'fast-check';
import type { Json, SchemaNode } from '../../src/schema/index.ts';
import { SCHEMA_KEYS } from './schema-keys.ts';

/** Texts that shells, YAML, Helm's templates, JSON, Kubernetes or Flux read as something else. */
const TEXTS = [
  ...[
    '',
    ' ',
    ' a  b ',
    "it's",
    '"',
    '\\',
    '*',
    '?[a-z]*',
    'a\nb',
    'a\r\n',
    '\tb',
    '|',
    '>',
    '- a',
    'a: b # c',
    '#',
  ],
  ...[
    '$(HOME)',
    ['$', '{HOME}'].join(''),
    ['$$', '{Y}'].join(''),
    '$$(X)',
    '$',
    '`ls`',
    '{{ .Values.x }}',
    '}}',
  ],
  ...[
    '1e6',
    '1000000',
    '007',
    '0x1f',
    '1_000',
    '12:30',
    'true',
    'no',
    'on',
    'null',
    '~',
    '.inf',
    '2001-01-01',
    '<<',
  ],
  ...[
    'ü日本😀',
    '\u0000\u0007',
    '\u007f\u0085\u00a0\u2028\ufeff\uffff',
    '%',
    '@x',
    '&a',
    '!b',
    '<&>',
    '---\n',
    '...',
  ],
  ...[
    '--no-wait',
    '--recipe=x\ny',
    'any',
    'none',
    'https://r.example/a',
    'oci://r.example/p\nq',
    'aicr-recipe-1',
  ],
];

const NUMBERS = [0, 1, 7, 0.5, 1_000_000, 8_388_608, 1_000_660_000, 1e-7, 2 ** 53 - 1];

const anyText = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.string({ unit: 'grapheme', maxLength: 10 }),
  fc.string({ unit: 'binary', maxLength: 6 }),
);

/** Names in a map; "<<" is YAML's own, and no field of Kubernetes. */
const anyName = anyText.filter((name) => name !== '<<');

/** Any JSON value, not deep. */
const anyJson: Arbitrary<Json> = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    anyText,
    fc.constantFrom(...NUMBERS),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(anyName, tie('json'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).json;

const textOf = (schema: SchemaNode): Arbitrary<string> => {
  const pattern = new RegExp(String(schema['pattern'] ?? ''), 'u');
  const [least, most] = [Number(schema['minLength'] ?? 0), Number(schema['maxLength'] ?? 1000)];
  const fits = (text: string): boolean => pattern.test(text) && text.length >= least && text.length <= most;
  const known = [...TEXTS, ...(schema.examples ?? [])].filter(
    (text) => typeof text === 'string' && fits(text),
  );
  const made =
    schema['pattern'] === undefined ? anyText.filter(fits) : fc.stringMatching(pattern, { maxLength: 20 });
  return known.length === 0 ? made : fc.oneof(fc.constantFrom(...(known as string[])), made);
};

const numberOf = (schema: SchemaNode, whole: boolean): Arbitrary<number> => {
  const min = Number(schema['minimum'] ?? -(2 ** 53) + 1);
  const max = Number(schema['maximum'] ?? 2 ** 53 - 1);
  const known = [...NUMBERS, min].filter(
    (one) => one >= min && one <= max && (!whole || Number.isInteger(one)),
  );
  const made = whole
    ? fc.integer({ min, max: Math.min(max, 2 ** 31 - 1) })
    : fc.double({ min, max, noNaN: true });
  return fc.oneof(fc.constantFrom(...known), made);
};

const objectOf = (schema: SchemaNode): Arbitrary<Json> => {
  const requiredKeys = (schema['required'] ?? []) as string[];
  const named = Object.entries(schema.properties ?? {}).map(
    ([name, child]) => [name, requiredKeys.includes(name) ? arbitraryOf(child) : nullable(child)] as const,
  );
  const more = Object.entries(schema.patternProperties ?? {}).map(([pattern, child]) =>
    fc.dictionary(textOf({ pattern }), nullable(child), { maxKeys: 3, noNullPrototype: true }),
  );
  const other = schema.additionalProperties ?? true;
  if (other !== false) {
    const value = other === true ? anyJson : nullable(other);
    more.push(fc.dictionary(anyName, value, { maxKeys: 3, noNullPrototype: true }));
  }
  // What is named wins: a key that a dictionary made by chance need not fit it.
  return fc
    .tuple(...more, fc.record(Object.fromEntries(named), { requiredKeys }))
    .map((maps) => Object.assign({}, ...maps));
};

/** Whatever a node of the schema allows. */
const arbitraryOf = (schema: SchemaNode): Arbitrary<Json> => {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const ofType: Readonly<Record<string, () => Arbitrary<Json>>> = {
    string: () => textOf(schema),
    boolean: () => fc.boolean(),
    integer: () => numberOf(schema, true),
    number: () => numberOf(schema, false),
    array: () => fc.array(schema.items === undefined ? anyJson : arbitraryOf(schema.items), { maxLength: 3 }),
    object: () => objectOf(schema),
  };
  const types = [schema.type ?? []].flat().flatMap((type) => ofType[type]?.() ?? []);
  const examples = [schema.default, ...(schema.examples ?? [])].filter((one) => one !== undefined);
  const free = types.length === 0 ? [anyJson] : types;
  return examples.length === 0 ? fc.oneof(...free) : fc.oneof(fc.constantFrom(...examples), ...free);
};

/** Every named value may be null in the chart's schema, but for those that must be there. */
const nullable = (schema: SchemaNode): Arbitrary<Json> =>
  fc.oneof({ weight: 9, arbitrary: arbitraryOf(schema) }, { weight: 1, arbitrary: fc.constant(null) });

/** Values by dotted key. */
export type Flat = Readonly<Record<string, Json>>;

/** A few keys at a time: with all at once some guard would always refuse. */
const SELDOM = 14;

/** Any few values that the schema allows, by dotted key. */
export const anyValues: Arbitrary<Flat> = fc
  .record(
    Object.fromEntries(
      SCHEMA_KEYS.map(([key, schema]) => [
        key,
        fc.oneof(
          { withCrossShrink: true },
          { weight: SELDOM, arbitrary: fc.constant(undefined) },
          { weight: 1, arbitrary: nullable(schema) },
        ),
      ]),
    ),
  )
  .map((all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Flat);

/** One key and a value for it. */
export const anyChange: Arbitrary<Flat> = fc.oneof(
  ...SCHEMA_KEYS.map(([key, schema]) => arbitraryOf(schema).map((value) => ({ [key]: value }))),
);
