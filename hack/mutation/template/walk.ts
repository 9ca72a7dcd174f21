import type { ActionNode, BlockNode, Branch, Command, Node, Operand, Pipeline, Template } from './tree.ts';

/** Every node with everything below it, from top to bottom. */
export const nodesOf = (nodes: readonly Node[]): readonly Node[] =>
  nodes.flatMap((node) => [
    node,
    ...(node.kind === 'block' ? node.branches.flatMap(({ body }) => nodesOf(body)) : []),
  ]);

/** Every block. */
export const blocksOf = (template: Template): readonly BlockNode[] =>
  nodesOf(template.body).filter((node) => node.kind === 'block');

/** Every action. */
export const actionsOf = (template: Template): readonly ActionNode[] =>
  nodesOf(template.body).filter((node) => node.kind === 'action');

/** A list of nodes that is executed from its first to its last: the file itself, or a branch of a block. */
export interface Body {
  readonly nodes: readonly Node[];
  /** Where the first node stands, or would stand. */
  readonly start: number;
  readonly branch: Branch | undefined;
  /** Name of the define around it, or an empty text. */
  readonly define: string;
}

/** Every body, the file's own first. */
export const bodiesOf = (template: Template): readonly Body[] => {
  const below = (nodes: readonly Node[], define: string): readonly Body[] =>
    nodes.flatMap((node) => {
      if (node.kind !== 'block') return [];
      const name = node.keyword === 'define' ? node.name : define;
      return node.branches.flatMap((branch) => [
        { nodes: branch.body, start: branch.tag.end, branch, define: name },
        ...below(branch.body, name),
      ]);
    });
  return [{ nodes: template.body, start: 0, branch: undefined, define: '' }, ...below(template.body, '')];
};

/** A command with what it stands in. */
export interface CommandPlace {
  readonly command: Command;
  readonly pipeline: Pipeline;
  /** Which command of its pipeline it is. */
  readonly index: number;
  /** The command that has this one in parentheses among its operands. */
  readonly parent: CommandPlace | undefined;
}

/** Every command of every pipeline, also those in parentheses. */
export const commandsOf = (template: Template): readonly CommandPlace[] =>
  nodesOf(template.body).flatMap((node) => {
    if (node.kind === 'action') return inPipeline(node.pipeline, undefined);
    if (node.kind === 'block')
      return node.branches.flatMap(({ pipeline }) => inPipeline(pipeline, undefined));
    return [];
  });

const inPipeline = (
  pipeline: Pipeline | undefined,
  parent: CommandPlace | undefined,
): readonly CommandPlace[] =>
  (pipeline?.commands ?? []).flatMap((command, index) => {
    const place: CommandPlace = { command, pipeline: pipeline as Pipeline, index, parent };
    const inner = command.operands.flatMap((operand) =>
      operand.kind === 'group' ? inPipeline(operand.pipeline, place) : [],
    );
    return [place, ...inner];
  });

/** Name of the function that a command calls; empty when it is a value. */
export const functionOf = (command: Command): string => {
  const [first] = command.operands;
  return first?.kind === 'function' ? first.text : '';
};

/** Arguments that stand behind the function's name. */
export const argumentsOf = (command: Command): readonly Operand[] =>
  functionOf(command) === '' ? [] : command.operands.slice(1);
