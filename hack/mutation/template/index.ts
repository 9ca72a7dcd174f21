export { SyntaxFault } from './fault.ts';
export { parseTemplate } from './parse.ts';
export { printNodes, printTemplate } from './print.ts';
export { quote, unquote } from './quote.ts';
export type {
  ActionNode,
  BlockNode,
  Branch,
  Command,
  Node,
  Operand,
  Pipeline,
  Span,
  Tag,
  Template,
  Token,
} from './tree.ts';
export {
  actionsOf,
  argumentsOf,
  type Body,
  blocksOf,
  bodiesOf,
  type CommandPlace,
  commandsOf,
  functionOf,
  nodesOf,
} from './walk.ts';
