import { stringify } from 'yaml';
import type { ValueKey, ValueNode, ValuesModel } from './model.ts';

/** Columns of a comment's text. */
const WIDTH = 100;

/**
 * The body of values.yaml: every visible key once, with its default, its description as a comment, and an
 * example where the default does not show its form.
 */
export const valuesYaml = (model: ValuesModel): string =>
  model.sections
    .map(({ name, text, nodes }) => {
      const heading = [`# ---- ${name} `.padEnd(WIDTH, '-'), ...comment(text, 0)];
      return `${[...heading, ...nodes.flatMap((node) => ['', ...nodeLines(node, 0)])].join('\n')}\n`;
    })
    .join('\n');

const nodeLines = (node: ValueNode, depth: number): readonly string[] => {
  if (node.kind === 'key') return keyLines(node, depth);
  const children = node.children.map((child) => nodeLines(child, depth + 1));
  return [
    indent(`${node.name}:`, depth),
    ...children.flatMap((lines, n) => (n === 0 ? lines : ['', ...lines])),
  ];
};

const keyLines = (key: ValueKey, depth: number): readonly string[] => [
  ...comment(key.description, depth),
  ...exampleLines(key).map((line) => indent(`# ${line}`, depth)),
  ...yamlLines(key.name, key.default).map((line) => indent(line, depth)),
];

const exampleLines = (key: ValueKey): readonly string[] => {
  const example = key.examples[0];
  if (example === undefined) return [];
  const lines = yamlLines(key.name, example);
  return lines.length === 1 ? [`Example: ${lines[0]}`] : ['Example:', ...lines.map((line) => `  ${line}`)];
};

// Helm reads YAML 1.1, where a bare `on` or `0600` is not a text: quote what it would take for something else.
const yamlLines = (name: string, value: unknown): readonly string[] =>
  stringify({ [name]: value }, { version: '1.1', lineWidth: 0, blockQuote: false })
    .trimEnd()
    .split('\n');

const comment = (text: string, depth: number): readonly string[] =>
  wrap(text, WIDTH - 2 * depth).map((line) => indent(`# ${line}`, depth));

const indent = (line: string, depth: number): string => '  '.repeat(depth) + line;

const wrap = (text: string, width: number): readonly string[] => {
  const lines: string[] = [];
  for (const word of text.split(' ').filter((part) => part !== '')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width - 2) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
};
