import type { ValueNode, ValuesModel } from './model.ts';
import type { Json } from './source.ts';

/**
 * The arguments of the `dict` in the chart's `nvidia-aicr.values`: each visible key, read from `$given` with its
 * default, as Helm template text. `dig` looks for presence, so a given false, 0 or "" stays what it is.
 */
export const helmValues = (model: ValuesModel): string =>
  model.sections.flatMap((section) => section.nodes.flatMap((node) => lines(node, 1))).join('\n');

const lines = (node: ValueNode, depth: number): readonly string[] => {
  const indent = '  '.repeat(depth);
  if (node.kind === 'group') {
    const children = node.children.flatMap((child) => lines(child, depth + 1));
    return [`${indent}"${node.name}" (dict`, ...children, `${indent})`];
  }
  const path = node.path.map((name) => `"${name}"`).join(' ');
  return [`${indent}"${node.name}" (dig ${path} ${literal(node.default)} $given)`];
};

const literal = (value: Json): string => {
  if (Array.isArray(value)) return value.length === 0 ? '(list)' : `(list ${value.map(literal).join(' ')})`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)} ${literal(item)}`);
    return entries.length === 0 ? '(dict)' : `(dict ${entries.join(' ')})`;
  }
  return JSON.stringify(value);
};
