import { SyntaxFault } from './fault.ts';
import { unquote } from './quote.ts';
import type { Command, Operand, Pipeline, Tag, Token } from './tree.ts';

/** The words of one tag, taken one after another. */
export class Words {
  readonly #source: string;
  readonly #tag: Tag;
  #next = 0;

  constructor(source: string, tag: Tag) {
    this.#source = source;
    this.#tag = tag;
  }

  peek(ahead = 0): Token | undefined {
    return this.#tag.tokens[this.#next + ahead];
  }

  take(expected?: string): Token {
    const token = this.peek();
    if (token === undefined) return this.fail(`${expected ?? 'a value'} is missing`);
    if (expected !== undefined && token.text !== expected)
      return this.fail(`${token.text} instead of ${expected}`);
    this.#next += 1;
    return token;
  }

  /** The quoted name behind define, block and template. */
  name(): string {
    const token = this.peek();
    if (token?.kind !== 'string' && token?.kind !== 'raw') return this.fail('a quoted name is missing');
    return unquote(this.take().text);
  }

  close(): void {
    const token = this.peek();
    if (token !== undefined) this.fail(`${token.text} is one word too many`);
  }

  fail(what: string): never {
    throw new SyntaxFault(this.#source, this.peek()?.start ?? this.#tag.end, what);
  }
}

/** Reads a pipeline up to the tag's end or a closing parenthesis. */
export const parsePipeline = (words: Words): Pipeline => {
  const { variables, assign, start } = parseVariables(words);
  const commands = [parseCommand(words)];
  while (words.peek()?.text === '|') {
    words.take('|');
    commands.push(parseCommand(words));
  }
  return {
    variables,
    assign,
    commands,
    start: start ?? commands[0]?.start ?? 0,
    end: commands.at(-1)?.end ?? 0,
  };
};

/** `$x :=`, `$x =` or `$key, $value :=`; nothing when the pipeline has no variables. */
const parseVariables = (words: Words) => {
  const [first, second, third, fourth] = [0, 1, 2, 3].map((ahead) => words.peek(ahead));
  const isAssign = (token: Token | undefined) => token?.text === ':=' || token?.text === '=';
  if (first?.kind !== 'variable') return { variables: [], assign: '' };
  if (isAssign(second)) {
    words.take();
    return { variables: [first.text], assign: words.take().text, start: first.start };
  }
  if (second?.text === ',' && third?.kind === 'variable' && isAssign(fourth)) {
    for (let taken = 0; taken < 3; taken += 1) words.take();
    return { variables: [first.text, third.text], assign: words.take().text, start: first.start };
  }
  return { variables: [], assign: '' };
};

const parseCommand = (words: Words): Command => {
  const operands: Operand[] = [];
  for (;;) {
    const token = words.peek();
    if (token === undefined || token.text === '|' || token.text === ')') break;
    operands.push(parseOperand(words));
  }
  const [first] = operands;
  if (first === undefined) return words.fail('a value is missing');
  return { operands, start: first.start, end: operands.at(-1)?.end ?? first.end };
};

const parseOperand = (words: Words): Operand => {
  const token = words.take();
  const { start, end, text } = token;
  switch (token.kind) {
    case 'string':
    case 'raw':
      return { kind: 'string', start, end, text };
    case 'char':
    case 'number':
    case 'dot':
      return { kind: token.kind, start, end, text };
    case 'word':
      if (text === 'true' || text === 'false') return { kind: 'boolean', start, end, text };
      return { kind: text === 'nil' ? 'nil' : 'function', start, end, text };
    case 'variable':
    case 'field': {
      const fields = adjacentFields(words);
      const names = [...(token.kind === 'field' ? [text.slice(1)] : []), ...fields.names];
      const root = token.kind === 'field' ? '' : text;
      return { kind: 'path', start, end: fields.end ?? end, text: text + fields.text, root, names };
    }
    case 'mark':
      return text === '(' ? parseGroup(words, start) : words.fail(`${text} where a value belongs`);
  }
};

const parseGroup = (words: Words, start: number): Operand => {
  const pipeline = parsePipeline(words);
  const { end } = words.take(')');
  const fields = adjacentFields(words);
  return { kind: 'group', pipeline, names: fields.names, start, end: fields.end ?? end };
};

/** `.a.b` right behind a value, without a blank. */
const adjacentFields = (words: Words) => {
  const fields: Token[] = [];
  for (let next = words.peek(); next?.kind === 'field' && next.blank === ''; next = words.peek()) {
    fields.push(words.take());
  }
  return {
    names: fields.map(({ text }) => text.slice(1)),
    text: fields.map(({ text }) => text).join(''),
    end: fields.at(-1)?.end,
  };
};
