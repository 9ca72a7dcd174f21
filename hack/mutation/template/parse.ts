import { SyntaxFault } from './fault.ts';
import { lex, type Piece } from './lex.ts';
import { parsePipeline, Words } from './pipeline.ts';
import type { ActionNode, BlockKeyword, BlockNode, Branch, Node, Tag, Template } from './tree.ts';

const BLOCKS: ReadonlySet<string> = new Set<BlockKeyword>(['if', 'with', 'range', 'define', 'block']);

/**
 * Parses a template of Go's text/template.
 * @param source the whole file
 * @returns its tree; every node knows its place
 * @throws SyntaxFault naming line and column
 */
export const parseTemplate = (source: string): Template => {
  const reader = new Reader(source, lex(source));
  const body = reader.body();
  if (reader.peek() !== undefined) reader.fail(`{{ ${reader.keyword()} }} without a block`);
  return { source, body };
};

class Reader {
  readonly #source: string;
  readonly #pieces: readonly Piece[];
  #next = 0;

  constructor(source: string, pieces: readonly Piece[]) {
    this.#source = source;
    this.#pieces = pieces;
  }

  peek(): Piece | undefined {
    return this.#pieces[this.#next];
  }

  /** First word of the tag that comes next. */
  keyword(): string {
    const piece = this.peek();
    const word = piece?.kind === 'tag' ? piece.tag.tokens[0] : undefined;
    return word?.kind === 'word' ? word.text : '';
  }

  fail(what: string): never {
    const piece = this.peek();
    const at =
      piece === undefined ? this.#source.length : piece.kind === 'tag' ? piece.tag.start : piece.start;
    throw new SyntaxFault(this.#source, at, what);
  }

  /** Nodes up to the `else` or `end` of the block around them, or to the end of the file. */
  body(): readonly Node[] {
    const nodes: Node[] = [];
    for (;;) {
      const piece = this.peek();
      if (piece === undefined) return nodes;
      if (piece.kind !== 'tag') {
        nodes.push(piece);
        this.#next += 1;
        continue;
      }
      const keyword = this.keyword();
      if (keyword === 'else' || keyword === 'end') return nodes;
      nodes.push(BLOCKS.has(keyword) ? this.#block(keyword as BlockKeyword) : this.#action(piece.tag));
    }
  }

  #tag(): Tag {
    const piece = this.peek();
    if (piece?.kind !== 'tag') return this.fail('an action is missing');
    this.#next += 1;
    return piece.tag;
  }

  #block(keyword: BlockKeyword): BlockNode {
    const first = this.peek();
    const branches: Branch[] = [];
    let name = '';
    let tag = this.#tag();
    let words = new Words(this.#source, tag);
    words.take(keyword);
    if (keyword === 'define' || keyword === 'block') name = words.name();
    let pipeline = keyword === 'define' ? undefined : parsePipeline(words);
    let branch: Branch['keyword'] = keyword;
    for (;;) {
      words.close();
      branches.push({ tag, keyword: branch, pipeline, body: this.body() });
      if (this.peek() === undefined) this.#unclosed(first, keyword);
      if (this.keyword() === 'end') break;
      if (keyword === 'define' || keyword === 'block') this.fail(`{{ else }} in a ${keyword}`);
      if (branch === 'else') this.fail('a second {{ else }}');
      tag = this.#tag();
      words = new Words(this.#source, tag);
      words.take('else');
      const chained = words.peek()?.text;
      branch = chained === 'if' || chained === 'with' ? chained : 'else';
      if (branch !== 'else') words.take(branch);
      pipeline = branch === 'else' ? undefined : parsePipeline(words);
    }
    const endTag = this.#tag();
    const ending = new Words(this.#source, endTag);
    ending.take('end');
    ending.close();
    const start = branches[0]?.tag.start ?? endTag.start;
    return { kind: 'block', keyword, name, branches, endTag, start, end: endTag.end };
  }

  #unclosed(first: Piece | undefined, keyword: string): never {
    const at = first?.kind === 'tag' ? first.tag.start : 0;
    throw new SyntaxFault(this.#source, at, `{{ ${keyword} }} without {{ end }}`);
  }

  #action(tag: Tag): ActionNode {
    this.#next += 1;
    const place = { kind: 'action' as const, tag, start: tag.start, end: tag.end };
    const words = new Words(this.#source, tag);
    const keyword = words.peek()?.text ?? '';
    if (keyword === 'break' || keyword === 'continue') {
      words.take(keyword);
      words.close();
      return { ...place, keyword, pipeline: undefined };
    }
    if (keyword === 'template') {
      words.take(keyword);
      words.name();
      const pipeline = words.peek() === undefined ? undefined : parsePipeline(words);
      words.close();
      return { ...place, keyword, pipeline };
    }
    const pipeline = parsePipeline(words);
    words.close();
    return { ...place, keyword: '', pipeline };
  }
}
