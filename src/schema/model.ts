import { inline, type Json, type SchemaNode, type ValuesSchema } from './source.ts';

/** One value a user can set. */
export interface ValueKey {
  readonly kind: 'key';
  readonly name: string;
  /** From the root of values.yaml, for example `['job', 'tolerations']`. */
  readonly path: readonly string[];
  readonly description: string;
  readonly default: Json;
  readonly examples: readonly Json[];
  /** Where the value stands in run.json, as a dotted path; empty when it does not go there. */
  readonly runSpec: string;
  /** Without references. */
  readonly schema: SchemaNode;
}

/** A map with a fixed set of keys, such as `job`. */
export interface ValueGroup {
  readonly kind: 'group';
  readonly name: string;
  readonly path: readonly string[];
  readonly children: readonly ValueNode[];
}

export type ValueNode = ValueGroup | ValueKey;

export interface ValueSection {
  readonly name: string;
  /** A sentence on the section, or empty. */
  readonly text: string;
  readonly nodes: readonly ValueNode[];
}

/** What all generators read: the visible values by section, in the source's order, and the inlined schema. */
export interface ValuesModel {
  readonly sections: readonly ValueSection[];
  readonly schema: SchemaNode;
}

/**
 * Reads values.schema.json into a model. Keys marked `x-hidden` (refused by a guard, or not read at all) are in
 * the schema only.
 * @throws Error naming a key that lacks a description, a default or a known section
 */
export const readModel = (source: ValuesSchema): ValuesModel => {
  const schema = inline(source, source.definitions);
  const sections = source['x-sections'].map(({ name, text }) => ({
    name,
    text,
    nodes: childrenOf(schema, []).filter((child) => sectionOf(schema, child) === name),
  }));
  const known = new Set(sections.map((section) => section.name));
  for (const child of childrenOf(schema, [])) {
    const section = sectionOf(schema, child);
    if (!known.has(section))
      throw new Error(`values.schema.json: ${child.name}: no section "${section}" in x-sections`);
  }
  return { sections, schema };
};

/** All keys of a model, in the order of values.yaml. */
export const keysOf = (model: ValuesModel): readonly ValueKey[] =>
  model.sections.flatMap((section) => section.nodes.flatMap(keysBelow));

/** The defaults as one object, the way values.yaml states them. */
export const defaultsOf = (model: ValuesModel): { readonly [key: string]: Json } =>
  defaultsBelow(model.sections.flatMap((section) => section.nodes));

const defaultsBelow = (nodes: readonly ValueNode[]): { readonly [key: string]: Json } =>
  Object.fromEntries(
    nodes.map((node) => [node.name, node.kind === 'group' ? defaultsBelow(node.children) : node.default]),
  );

const keysBelow = (node: ValueNode): readonly ValueKey[] =>
  node.kind === 'key' ? [node] : node.children.flatMap(keysBelow);

const sectionOf = (schema: SchemaNode, child: ValueNode): string =>
  String(schema.properties?.[child.name]?.['x-section'] ?? '');

const childrenOf = (schema: SchemaNode, path: readonly string[]): readonly ValueNode[] =>
  Object.entries(schema.properties ?? {})
    .filter(([, child]) => child['x-hidden'] !== true)
    .map(([name, child]) => nodeOf(name, child, [...path, name]));

const nodeOf = (name: string, schema: SchemaNode, path: readonly string[]): ValueNode => {
  // A map with a default of its own is one value, taken as a whole: Helm has merged the default's keys into it.
  if (schema.properties !== undefined && schema.default === undefined) {
    return { kind: 'group', name, path, children: childrenOf(schema, path) };
  }
  if (schema.description === undefined)
    throw new Error(`values.schema.json: ${path.join('.')} has no description`);
  if (schema.default === undefined) throw new Error(`values.schema.json: ${path.join('.')} has no default`);
  return {
    kind: 'key',
    name,
    path,
    description: schema.description,
    default: schema.default,
    examples: schema.examples ?? [],
    runSpec: String(schema['x-runSpec'] ?? ''),
    schema,
  };
};
