import { readFile } from 'node:fs/promises';
import { readModel, type SchemaNode, type ValuesModel, type ValuesSchema } from '../../src/schema/index.ts';

const source = JSON.parse(
  await readFile(new URL('../../values.schema.json', import.meta.url), 'utf8'),
) as ValuesSchema;
/**
 * The model of the chart's values. Read anew by each test: what is made while a file is loaded, no test of it can be
 * asked for.
 */
export const realModel = (): ValuesModel => readModel(source);

/** A source with one key of its own. */
export const sourceWith = (key: SchemaNode, definitions: Record<string, SchemaNode> = {}): ValuesSchema => ({
  'x-sections': [{ name: 'One', text: 'First.' }],
  definitions,
  type: 'object',
  properties: { key: { 'x-section': 'One', description: 'Does.', type: 'string', default: '', ...key } },
});

/** A key of a source. @param value its default */
export function leaf(value: unknown, section?: string): SchemaNode {
  const node = { description: 'Does.', default: value };
  return (section === undefined ? node : { ...node, 'x-section': section }) as SchemaNode;
}
