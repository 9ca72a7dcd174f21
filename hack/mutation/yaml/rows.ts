import type { ActionNode, Node, Span, Template } from '../template/index.ts';
import { bodiesOf } from '../template/index.ts';

/**
 * A line of text as one body of the template sees it: blocks and actions in it are single pieces, so a row can go
 * as a whole without cutting a block in two.
 */
export interface Row extends Span {
  readonly kind: 'blank' | 'comment' | 'text' | 'code';
  /** The row's source, as long as it, with each action and block replaced by as many HOLEs. */
  readonly masked: string;
  /** Column at which what it renders begins; nothing when it renders nothing. */
  readonly indent: number | undefined;
  /** Actions and blocks in it. */
  readonly nodes: readonly Node[];
}

/** Stands for what an action renders: a letter for YAML, and for no one else. */
export const HOLE = '\ue000';

/** The rows of every body of a template, each list from top to bottom. */
export const rowLists = (template: Template): readonly (readonly Row[])[] =>
  bodiesOf(template).map(({ nodes }) => rowsIn(template.source, nodes));

const rowsIn = (source: string, nodes: readonly Node[]): readonly Row[] => {
  const rows: Row[] = [];
  let start = nodes[0]?.start ?? 0;
  let masked = '';
  let inside: Node[] = [];
  const finish = (end: number): void => {
    if (end > start) rows.push(row(source, { start, end }, masked, inside));
    start = end;
    masked = '';
    inside = [];
  };
  for (const node of nodes) {
    if (node.kind !== 'text') {
      masked += (node.kind === 'comment' ? ' ' : HOLE).repeat(node.end - node.start);
      if (node.kind !== 'comment') inside.push(node);
      continue;
    }
    const lines = node.text.split(/(?<=\n)/);
    let at = node.start;
    for (const line of lines) {
      masked += line;
      at += line.length;
      if (line.endsWith('\n')) finish(at);
    }
  }
  finish(nodes.at(-1)?.end ?? start);
  return rows;
};

const row = (source: string, span: Span, masked: string, nodes: readonly Node[]): Row => {
  const content = masked.trim();
  const place = { ...span, masked, nodes };
  if (content === '') return { ...place, kind: 'blank', indent: undefined };
  if (content.startsWith('#')) return { ...place, kind: 'comment', indent: undefined };
  if (content.replaceAll(HOLE, '').trim() !== '')
    return { ...place, kind: 'text', indent: masked.search(/\S/) };
  return {
    ...place,
    kind: 'code',
    indent: smallest(nodes.map((node) => renderedIndent(source, node, masked))),
  };
};

const smallest = (indents: readonly (number | undefined)[]): number | undefined => {
  const known = indents.filter((indent) => indent !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
};

const renderedIndent = (source: string, node: Node, masked: string): number | undefined => {
  if (node.kind === 'block') {
    return smallest(node.branches.flatMap(({ body }) => rowsIn(source, body).map(({ indent }) => indent)));
  }
  if (node.kind !== 'action' || node.pipeline === undefined || node.pipeline.variables.length > 0)
    return undefined;
  return indentOf(node) ?? masked.search(/\S/);
};

/** N of an action that ends in `nindent N` or `indent N`. */
const indentOf = ({ pipeline }: ActionNode): number | undefined => {
  const [name, width] = pipeline?.commands.at(-1)?.operands ?? [];
  const indents = name?.kind === 'function' && /^n?indent$/.test(name.text) && width?.kind === 'number';
  return indents ? Number(width.text) : undefined;
};
