import type { Node, Tag, Template } from './tree.ts';

/** The source of a tree, put together from the tree alone. */
export const printTemplate = (template: Template): string => printNodes(template.body);

/** The source of some of its nodes. */
export const printNodes = (nodes: readonly Node[]): string => nodes.map(printNode).join('');

const printNode = (node: Node): string => {
  switch (node.kind) {
    case 'text':
    case 'comment':
      return node.text;
    case 'action':
      return printTag(node.tag);
    case 'block': {
      const branches = node.branches.map(({ tag, body }) => printTag(tag) + printNodes(body));
      return branches.join('') + printTag(node.endTag);
    }
  }
};

const printTag = ({ open, tokens, blank, close }: Tag): string =>
  open + tokens.map((token) => token.blank + token.text).join('') + blank + close;
