import { describe, expect, test } from 'vitest';
import {
  chartSchema,
  helmValues,
  readModel,
  type ValuesModel,
  type ValuesSchema,
  valuesTable,
  valuesYaml,
} from '../../src/schema/index.ts';
import { leaf, sourceWith } from './sources.ts';

/** A model of two sections with every form of a value in it. */
const smallModel = (): ValuesModel =>
  readModel({
    title: 'Values',
    'x-sections': [
      { name: 'One', text: 'First words.' },
      { name: 'Two', text: '' },
    ],
    definitions: { short: { type: 'string', maxLength: 3 } },
    type: 'object',
    properties: {
      a: { ...leaf('', 'One'), type: 'string', enum: ['', 'x'], tsType: 'string', examples: ['x'] },
      hidden: { 'x-section': 'One', 'x-hidden': true, type: 'boolean' },
      group: {
        'x-section': 'Two',
        type: 'object',
        additionalProperties: false,
        properties: {
          b: { ...leaf({ k: 'v' }), type: ['object'], additionalProperties: { $ref: '#/definitions/short' } },
          c: {
            ...leaf([1]),
            type: 'array',
            items: { type: 'string', 'x-own': 1, tsType: 'x' },
            examples: [['y', 'z']],
          },
        },
      },
      d: {
        ...leaf(false, 'Two'),
        type: 'object',
        patternProperties: { '^p': { type: 'integer', enum: [1] } },
      },
    },
  } as ValuesSchema);

describe('a small model', () => {
  test("as the chart's schema", () => {
    expect(chartSchema(smallModel())).toEqual({
      $schema: 'http://json-schema.org/draft-07/schema#',
      title: 'Values',
      description: 'Values of the nvidia-aicr chart.',
      type: 'object',
      properties: {
        a: {
          description: 'Does.',
          default: '',
          type: ['string', 'null'],
          enum: ['', 'x', null],
          examples: ['x'],
        },
        hidden: { type: ['boolean', 'null'] },
        group: {
          type: ['object', 'null'],
          additionalProperties: false,
          properties: {
            b: {
              description: 'Does.',
              default: { k: 'v' },
              type: ['object', 'null'],
              additionalProperties: { type: ['string', 'null'], maxLength: 3 },
            },
            c: {
              description: 'Does.',
              default: [1],
              type: ['array', 'null'],
              items: { type: 'string' },
              examples: [['y', 'z']],
            },
          },
        },
        d: {
          description: 'Does.',
          default: false,
          type: ['object', 'null'],
          patternProperties: { '^p': { type: ['integer', 'null'], enum: [1, null] } },
        },
      },
    });
  });

  test('as values.yaml', () => {
    expect(valuesYaml(smallModel())).toBe(
      `# ---- One ${'-'.repeat(89)}
# First words.

# Does.
# Example: a: x
a: ""

# ---- Two ${'-'.repeat(89)}

group:
  # Does.
  b:
    k: v

  # Does.
  # Example:
  #   c:
  #     - "y"
  #     - z
  c:
    - 1

# Does.
d: false
`,
    );
  });

  test('as tables', () => {
    expect(valuesTable(smallModel())).toBe(
      `#### One

First words.

| key | default | meaning |
|---|---|---|
| \`a\` | \`""\` | Does. |

#### Two

| key | default | meaning |
|---|---|---|
| \`group.b\` | \`{"k":"v"}\` | Does. |
| \`group.c\` | \`[1]\` | Does. |
| \`d\` | \`false\` | Does. |`,
    );
  });

  test("as the templates' defaults", () => {
    expect(helmValues(smallModel())).toBe(
      `  "a" (dig "a" "" $given)
  "group" (dict
    "b" (dig "group" "b" (dict "k" "v") $given)
    "c" (dig "group" "c" (list 1) $given)
  )
  "d" (dig "d" false $given)`,
    );
  });

  test('has a text of several lines in one', () => {
    expect(valuesYaml(readModel(sourceWith({ default: 'a\nb\n' })))).toContain('\nkey: "a\\nb\\n"\n');
  });

  test('has comments that fill their lines to the width, and not beyond', () => {
    const wide = (length: number) => readModel(sourceWith({ description: `${'x'.repeat(length)} y` }));
    expect(valuesYaml(wide(96))).toContain(`\n# ${'x'.repeat(96)} y\n`);
    expect(valuesYaml(wide(97))).toContain(`\n# ${'x'.repeat(97)}\n# y\n`);
  });
});
