import { SyntaxFault } from './fault.ts';
import type { CommentNode, Tag, TextNode, Token, TokenKind } from './tree.ts';

/** A template as a flat list: text, comments and tags, which cover all of it. */
export type Piece = TextNode | CommentNode | { readonly kind: 'tag'; readonly tag: Tag };

/**
 * Splits a template at its actions and the actions into words, as the lexer of Go's text/template does.
 * https://pkg.go.dev/text/template#hdr-Text_and_spaces and the sections after it
 * @throws SyntaxFault naming line and column of what is no template
 */
export const lex = (source: string): readonly Piece[] => {
  const pieces: Piece[] = [];
  let at = 0;
  while (at < source.length) {
    const open = source.indexOf('{{', at);
    const end = open === -1 ? source.length : open;
    if (end > at) pieces.push({ kind: 'text', start: at, end, text: source.slice(at, end) });
    if (open === -1) break;
    const piece = comment(source, open) ?? { kind: 'tag' as const, tag: lexTag(source, open) };
    pieces.push(piece);
    at = piece.kind === 'tag' ? piece.tag.end : piece.end;
  }
  return pieces;
};

const TRIMMED_OPEN = /\{\{-(?=\s)/y;
const COMMENT = /\{\{(?:-\s)?\/\*[\s\S]*?\*\/(?:\s-)?\}\}/y;
const COMMENT_START = /\{\{(?:-\s)?\/\*/y;

const match = (pattern: RegExp, source: string, at: number): string | undefined => {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0];
};

const comment = (source: string, at: number): CommentNode | undefined => {
  const text = match(COMMENT, source, at);
  if (text !== undefined) return { kind: 'comment', start: at, end: at + text.length, text };
  if (match(COMMENT_START, source, at) !== undefined)
    throw new SyntaxFault(source, at, 'a comment without end');
  return undefined;
};

/** Each kind of word, in the order in which they are tried. Adjacent fields are glued together by the parser. */
const WORDS: readonly (readonly [TokenKind, RegExp])[] = [
  ['string', /"(?:[^"\\\n]|\\.)*"/y],
  ['raw', /`[^`]*`/y],
  ['char', /'(?:[^'\\\n]|\\.)+'/y],
  ['variable', /\$[\p{L}\p{N}_]*/uy],
  [
    'number',
    /[+-]?(?:0[xXbBoO][0-9a-fA-F_]+|(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9]+)?)/y,
  ],
  ['field', /\.[\p{L}_][\p{L}\p{N}_]*/uy],
  ['dot', /\./y],
  ['word', /[\p{L}_][\p{L}\p{N}_]*/uy],
  ['mark', /:=|=|\||\(|\)|,/y],
];

const lexTag = (source: string, start: number): Tag => {
  const open = match(TRIMMED_OPEN, source, start) ?? '{{';
  const tokens: Token[] = [];
  let at = start + open.length;
  for (;;) {
    const blank = match(/\s*/y, source, at) ?? '';
    at += blank.length;
    const close = match(blank === '' ? /\}\}/y : /-?\}\}/y, source, at);
    if (close !== undefined) return { open, tokens, blank, close, start, end: at + close.length };
    if (at >= source.length) throw new SyntaxFault(source, start, 'an action without end');
    const token = lexWord(source, at, blank);
    tokens.push(token);
    at = token.end;
  }
};

const lexWord = (source: string, at: number, blank: string): Token => {
  for (const [kind, pattern] of WORDS) {
    const text = match(pattern, source, at);
    if (text !== undefined) return { kind, text, blank, start: at, end: at + text.length };
  }
  throw new SyntaxFault(source, at, `${JSON.stringify(source[at])} in an action`);
};
