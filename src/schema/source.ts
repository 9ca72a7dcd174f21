/** The part of JSON Schema (draft-07) that values.schema.json uses, and its own keywords. */
export interface SchemaNode {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: Json;
  readonly examples?: readonly Json[];
  readonly enum?: readonly Json[];
  readonly properties?: { readonly [name: string]: SchemaNode };
  readonly patternProperties?: { readonly [pattern: string]: SchemaNode };
  readonly additionalProperties?: boolean | SchemaNode;
  readonly items?: SchemaNode;
  readonly [keyword: string]: unknown;
}

/** The whole of values.schema.json. */
export interface ValuesSchema extends SchemaNode {
  readonly 'x-sections': readonly { readonly name: string; readonly text: string }[];
  readonly definitions: { readonly [name: string]: SchemaNode };
  readonly properties: { readonly [name: string]: SchemaNode };
}

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/**
 * Puts a definition in the place of each reference to it. Keywords beside the reference win over the
 * definition's: draft-07 would ignore them, so nothing but this function may read the source as it is.
 * @param node any node of the source
 * @param definitions the source's definitions; they hold no references themselves but to other definitions
 * @throws Error naming a reference that leads nowhere
 */
export const inline = (node: SchemaNode, definitions: ValuesSchema['definitions']): SchemaNode => {
  const { $ref, ...own } = node;
  const target = $ref === undefined ? {} : definitions[$ref.replace('#/definitions/', '')];
  if (target === undefined) throw new Error(`values.schema.json: ${$ref} is not defined`);
  const whole: Record<string, unknown> = { ...target, ...own };
  if (target.$ref !== undefined) Object.assign(whole, inline(target, definitions), own);
  for (const keyword of ['properties', 'patternProperties'] as const) {
    const children = whole[keyword];
    if (children === undefined) continue;
    whole[keyword] = mapValues(children as Record<string, SchemaNode>, (child) => inline(child, definitions));
  }
  for (const keyword of ['items', 'additionalProperties'] as const) {
    const child = whole[keyword];
    if (typeof child === 'object' && child !== null)
      whole[keyword] = inline(child as SchemaNode, definitions);
  }
  return whole;
};

const mapValues = <A, B>(object: Record<string, A>, change: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
