import {
  argumentsOf,
  type CommandPlace,
  commandsOf,
  functionOf,
  type Operand,
  quote,
  unquote,
} from '../template/index.ts';
import type { Mutation, Operator } from './mutation.ts';
import { changed } from './words.ts';

type Literal = Extract<Operand, { kind: 'string' | 'number' | 'boolean' | 'char' }>;

/** Functions whose texts name templates: another name only fails to render. */
const BY_NAME: ReadonlySet<string> = new Set(['include', 'template', 'tpl']);
/** Functions whose numbers and texts other operators change. */
const ELSEWHERE: ReadonlySet<string> = new Set(['nindent', 'indent']);
const PATTERNS = /^(must)?[rR]egex/;

/** Texts, numbers and booleans in actions. */
export const changeLiterals: Operator = ({ template }) =>
  commandsOf(template).flatMap((place) => {
    const name = functionOf(place.command);
    if (ELSEWHERE.has(name)) return [];
    return place.command.operands.flatMap((operand, index): readonly Mutation[] => {
      if (!isLiteral(operand)) return [];
      if (BY_NAME.has(name) && index === 1) return [];
      // Names of keys: leaving the key out says more.
      if (name === 'dict' && index % 2 === 1) return [];
      // Of a path, its last name: each of them reads nothing when it is wrong.
      if (name === 'dig' && index < argumentsOf(place.command).length - 2) return [];
      if (PATTERNS.test(name) && index === 1) return loosen(operand);
      return change(place, operand, index);
    });
  });

const isLiteral = (operand: Operand): operand is Literal =>
  operand.kind === 'string' || operand.kind === 'number' || operand.kind === 'boolean';

const change = (
  place: CommandPlace,
  { kind, text, start, end }: Literal,
  index: number,
): readonly Mutation[] => {
  const value = kind === 'string' ? unquote(text) : kind === 'number' ? Number(text) : text === 'true';
  const change = changed(keyOf(place, index), value);
  if (change === undefined) return [];
  const replacement = typeof change.value === 'string' ? quote(change.value) : String(change.value);
  return [{ operator: change.operator, start, end, replacement }];
};

/** The key that a literal stands under: the one before it in a dict, or the last of a dig around it. */
const keyOf = ({ command, parent }: CommandPlace, index: number): string => {
  const name = functionOf(command);
  if (name === 'dict') return literalAt(command.operands[index - 1]);
  if (name === 'dig') return literalAt(command.operands.at(-3));
  if (parent === undefined) return '';
  const position = parent.command.operands.findIndex(
    (operand) => operand.kind === 'group' && operand.pipeline.commands.includes(command),
  );
  return keyOf(parent, position);
};

const literalAt = (operand: Operand | undefined): string =>
  operand?.kind === 'string' ? unquote(operand.text) : '';

/** A pattern without its first or last anchor. */
const loosen = ({ kind, text, start, end }: Literal): readonly Mutation[] => {
  if (kind !== 'string') return [];
  return withoutAnchors(unquote(text)).map((pattern) => ({
    operator: 'loosen-regex',
    start,
    end,
    replacement: quote(pattern),
  }));
};

/** The patterns that are left of one when an anchor goes. */
export const withoutAnchors = (pattern: string): readonly string[] => [
  ...(pattern.startsWith('^') ? [pattern.slice(1)] : []),
  ...(pattern.endsWith('$') && !pattern.endsWith('\\$') ? [pattern.slice(0, -1)] : []),
];
