/** Leaves of the values by their path, `a.b`, with what type each is; in the order of the schema. */
export type ValueTypes = ReadonlyMap<string, string>;

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/**
 * Reads the types of values from a chart's values.schema.json.
 * @param schema its parsed text
 */
export const valueTypes = (schema: Schema): ValueTypes => new Map(leaves(schema, []));

const leaves = (schema: Schema, path: readonly string[]): readonly (readonly [string, string])[] => {
  const below = Object.entries(schema.properties ?? {}).flatMap(([name, child]) =>
    leaves(child, [...path, name]),
  );
  if (path.length === 0) return below;
  return [[path.join('.'), typeOf(schema)], ...below];
};

/** null is left out: every value may be null, which reads as its default. */
const typeOf = ({ type, items }: Schema): string => {
  const names = [type ?? 'any'].flat().filter((name) => name !== 'null');
  return [
    ...names.sort(),
    ...(items?.type === undefined ? [] : [`of ${[items.type].flat().join(' ')}`]),
  ].join(' ');
};

/**
 * Another value of the same type: the next one in the schema's order, if possible of the same group.
 * @returns nothing when the path is no value, or the only one of its type
 */
export const sibling = (types: ValueTypes, path: string): string | undefined => {
  const type = types.get(path);
  if (type === undefined || type === 'any') return undefined;
  const group = path.slice(0, path.lastIndexOf('.') + 1);
  const same = [...types].filter(([, other]) => other === type).map(([name]) => name);
  // A value that holds this one, or is held by it, is not another place.
  const apart = same.filter(
    (name) => name === path || !(name.startsWith(`${path}.`) || path.startsWith(`${name}.`)),
  );
  const near = apart.filter((name) => name.slice(0, name.lastIndexOf('.') + 1) === group);
  const ring = near.length > 1 ? near : apart;
  const next = ring[(ring.indexOf(path) + 1) % ring.length];
  return next === path ? undefined : next;
};
