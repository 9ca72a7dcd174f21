export { chartSchema } from './chart-schema.ts';
export type { Values } from './generated/values.ts';
export { helmValues } from './helm-values.ts';
export { defaultsOf, keysOf, readModel, type ValueKey, type ValuesModel } from './model.ts';
export type { Json, SchemaNode, ValuesSchema } from './source.ts';
export { valuesTable } from './table.ts';
export { valuesYaml } from './values-yaml.ts';
