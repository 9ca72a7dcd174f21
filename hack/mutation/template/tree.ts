/** A stretch of the source: offsets of its first character and of the one after its last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export type TokenKind = 'string' | 'raw' | 'char' | 'number' | 'word' | 'field' | 'variable' | 'dot' | 'mark';

/** One word of an action, with the blanks that stand before it. */
export interface Token extends Span {
  readonly kind: TokenKind;
  readonly text: string;
  readonly blank: string;
}

/** What stands between `{{` and `}}`. */
export interface Tag extends Span {
  /** `{{` or `{{-`. */
  readonly open: string;
  readonly tokens: readonly Token[];
  /** Blanks before the closing delimiter. */
  readonly blank: string;
  /** `}}` or `-}}`. */
  readonly close: string;
}

/** What a function takes, or the function's own name. */
export type Operand =
  | (Span & {
      readonly kind: 'string' | 'char' | 'number' | 'boolean' | 'nil' | 'dot' | 'function';
      readonly text: string;
    })
  /** `.a.b`, `$`, `$x` or `$x.a.b`. */
  | (Span & {
      readonly kind: 'path';
      readonly text: string;
      readonly root: string;
      readonly names: readonly string[];
    })
  /** `(pipeline)` or `(pipeline).a.b`. */
  | (Span & { readonly kind: 'group'; readonly pipeline: Pipeline; readonly names: readonly string[] });

/** Operands side by side: a function with its arguments, or a value alone. */
export interface Command extends Span {
  readonly operands: readonly Operand[];
}

/** Commands that hand their results on through `|`, with the variables that take the last one. */
export interface Pipeline extends Span {
  readonly variables: readonly string[];
  /** `:=`, `=`, or nothing. */
  readonly assign: string;
  readonly commands: readonly Command[];
}

export interface TextNode extends Span {
  readonly kind: 'text';
  readonly text: string;
}

export interface CommentNode extends Span {
  readonly kind: 'comment';
  /** All of it, with its delimiters. */
  readonly text: string;
}

/** A pipeline, or one of `template`, `break` and `continue`. */
export interface ActionNode extends Span {
  readonly kind: 'action';
  readonly tag: Tag;
  readonly keyword: '' | 'template' | 'break' | 'continue';
  readonly pipeline: Pipeline | undefined;
}

export type BlockKeyword = 'if' | 'with' | 'range' | 'define' | 'block';

/** One way through a block: its tag and what stands below it. */
export interface Branch {
  readonly tag: Tag;
  /** The block's own keyword, or that of an `else if` or `else with`; `else` for the plain one. */
  readonly keyword: BlockKeyword | 'else';
  readonly pipeline: Pipeline | undefined;
  readonly body: readonly Node[];
}

export interface BlockNode extends Span {
  readonly kind: 'block';
  readonly keyword: BlockKeyword;
  /** Of `define` and `block`, without its quotes; otherwise empty. */
  readonly name: string;
  readonly branches: readonly Branch[];
  readonly endTag: Tag;
}

export type Node = TextNode | CommentNode | ActionNode | BlockNode;

/** A template file as a tree. */
export interface Template {
  readonly source: string;
  readonly body: readonly Node[];
}
