import { isMap, isPair, isScalar, isSeq, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { withoutAnchors } from './literals.ts';
import type { Mutation, OperatorName } from './mutation.ts';

/** Keywords that refuse something; the others describe. */
const REFUSING: ReadonlySet<string> = new Set([
  ...[
    'enum',
    'const',
    'pattern',
    'format',
    'required',
    'additionalProperties',
    'patternProperties',
    'propertyNames',
  ],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength'],
  ...['minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties', 'not', 'dependencies'],
]);
const LOWER: ReadonlySet<string> = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems']);
const UPPER: ReadonlySet<string> = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems']);
/** Keywords that hold one schema, a list of them, or a map of them. */
const ONE: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'not', 'propertyNames']);
const MANY: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'items']);
const NAMED: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'definitions']);

/**
 * Mutations of a JSON schema.
 * @param source its text
 * @returns from top to bottom; the text stays JSON
 */
export const mutateSchema = (source: string): readonly Mutation[] => {
  const root = parseDocument(source).contents;
  const [start, end] = isMap(root) ? typeRange(root) : [0, 0];
  // Values as a whole are a map, whatever the schema says of it.
  return inSchema(source, root).filter((mutation) => mutation.start < start || mutation.start >= end);
};

const typeRange = (root: YAMLMap): readonly [number, number] => {
  const type = root.items.find(({ key }) => isScalar(key) && key.value === 'type');
  return type === undefined ? [0, 0] : rangeOf(type);
};

const inSchema = (source: string, node: unknown): readonly Mutation[] => {
  if (!isMap(node)) return [];
  return node.items.flatMap((pair): readonly Mutation[] => {
    const keyword = String(isScalar(pair.key) ? pair.key.value : '');
    const own = REFUSING.has(keyword) ? [drop(source, pair, 'schema-drop-keyword')] : [];
    return [...own, ...ofKeyword(source, keyword, pair), ...below(source, keyword, pair)];
  });
};

const below = (source: string, keyword: string, { value }: Pair): readonly Mutation[] => {
  if (NAMED.has(keyword) && isMap(value)) {
    return value.items.flatMap((pair) => [
      ...(keyword === 'properties' ? [drop(source, pair, 'schema-drop-property')] : []),
      ...inSchema(source, pair.value),
    ]);
  }
  if (MANY.has(keyword) && isSeq(value)) return value.items.flatMap((item) => inSchema(source, item));
  return ONE.has(keyword) ? inSchema(source, value) : [];
};

const ofKeyword = (source: string, keyword: string, pair: Pair): readonly Mutation[] => {
  const { value } = pair;
  if (keyword === 'type') {
    const wide = drop(source, pair, 'schema-widen-type');
    const members = isSeq(value) && value.items.length > 1 ? value.items : [];
    return [wide, ...members.map((item) => drop(source, item, 'schema-narrow-type'))];
  }
  if ((keyword === 'enum' || keyword === 'required') && isSeq(value)) {
    return value.items.length > 1 ? value.items.map((item) => drop(source, item, 'schema-drop-member')) : [];
  }
  if (!isScalar(value) || value.range == null) return [];
  const [start, end] = value.range;
  if (keyword === 'pattern' && typeof value.value === 'string') {
    return withoutAnchors(value.value).map((pattern) => ({
      operator: 'schema-loosen-pattern',
      start,
      end,
      replacement: JSON.stringify(pattern),
    }));
  }
  // Limits beyond which numbers of JSON are not exact have no neighbours.
  if (typeof value.value !== 'number' || !Number.isSafeInteger(value.value + 1)) return [];
  if (!Number.isSafeInteger(value.value - 1) || !(LOWER.has(keyword) || UPPER.has(keyword))) return [];
  return [value.value - 1, value.value + 1].map((limit) => ({
    operator: 'schema-change-limit',
    start,
    end,
    replacement: String(limit),
  }));
};

/** A pair or list member left out, with the comma behind it or, for the last, the one before it. */
const drop = (source: string, node: unknown, operator: OperatorName): Mutation => {
  const [start, end] = rangeOf(node);
  const behind = /^\s*,\s*/.exec(source.slice(end))?.[0];
  if (behind !== undefined) return { operator, start, end: end + behind.length, replacement: '' };
  const before = /,\s*$/.exec(source.slice(0, start))?.[0] ?? '';
  return { operator, start: start - before.length, end, replacement: '' };
};

const rangeOf = (node: unknown): readonly [number, number] => {
  if (isPair(node)) return [rangeOf(node.key)[0], rangeOf(node.value)[1]];
  const range = (node as { range?: readonly [number, number, number] | null }).range;
  if (range == null) throw new TypeError('a node of the schema has no place');
  return [range[0], range[1]];
};
