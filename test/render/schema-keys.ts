import { readModel, type SchemaNode } from '../../src/schema/index.ts';
import { chartSources } from './chart.ts';

const keysBelow = (node: SchemaNode, above = ''): readonly (readonly [string, SchemaNode])[] =>
  Object.entries(node.properties ?? {}).flatMap(([name, child]) =>
    child.properties === undefined || child.default !== undefined
      ? [[`${above}${name}`, child] as const]
      : keysBelow(child, `${above}${name}.`),
  );

/**
 * Every key of values.schema.json that has a value of its own, as a dotted path, hidden ones too, each with its schema
 * without references. A map with a default of its own is one key.
 */
export const SCHEMA_KEYS = keysBelow(readModel((await chartSources()).schema).schema);
