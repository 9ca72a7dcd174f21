import type { ValuesModel } from './model.ts';
import type { SchemaNode } from './source.ts';

/**
 * The schema that travels in the chart: draft-07 in one file without references, because Helm 3.18.5 and later
 * fetch none. Every named value may also be null: that is how a user takes an override back, and where Helm
 * keeps the null differs between Helm 3, Helm 4 and sub-charts. The templates read it as "the default".
 */
export const chartSchema = (model: ValuesModel): SchemaNode => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  ...published(model.schema),
  description: 'Values of the nvidia-aicr chart.',
});

const OWN_KEYWORDS = new Set(['$schema', 'definitions', 'tsType']);

const published = (node: SchemaNode): SchemaNode => {
  const kept = Object.entries(node).filter(
    ([keyword]) => !keyword.startsWith('x-') && !OWN_KEYWORDS.has(keyword),
  );
  const copy: Record<string, unknown> = Object.fromEntries(kept);
  const required = new Set(node['required'] as readonly string[] | undefined);
  for (const keyword of ['properties', 'patternProperties'] as const) {
    const children = node[keyword];
    if (children === undefined) continue;
    copy[keyword] = Object.fromEntries(
      // Null stands for a key that is not there, so one that must be there is never null.
      Object.entries(children).map(([name, child]) => [
        name,
        required.has(name) ? published(child) : nullable(published(child)),
      ]),
    );
  }
  if (typeof node.additionalProperties === 'object') {
    copy['additionalProperties'] = nullable(published(node.additionalProperties));
  }
  if (node.items !== undefined) copy['items'] = published(node.items);
  return copy;
};

const nullable = (node: SchemaNode): SchemaNode => ({
  ...node,
  ...(node.type === undefined ? {} : { type: [node.type, 'null'].flat() }),
  ...(node.enum === undefined ? {} : { enum: [...node.enum, null] }),
});
