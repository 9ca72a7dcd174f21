import type { Span, Template } from '../template/index.ts';
import type { ValueTypes } from './value-types.ts';

/** What the operators do, each in a few words. The report counts by these names. */
export const OPERATORS = {
  'drop-block': 'a block is left out, or its else, or all that a define holds',
  'keep-block': 'a condition is always true',
  'flip-condition': 'a condition is negated',
  'empty-block': 'a with or range gets nothing',
  'drop-action': 'an action is left out',
  'drop-line': 'a line for people, or a piece of a name, is left out',
  'drop-key': 'a key is left out with what it holds',
  'drop-item': 'a list item is left out',
  'flip-logic': 'and becomes or, eq becomes ne, and so on',
  'drop-not': 'not is left out',
  'swap-arguments': 'the two results of ternary change places',
  'drop-function': 'quote, default, required, trunc, lower and their like are left out',
  'shift-nindent': 'two columns less, or more where that matters',
  'swap-path': 'a value is read from another place of the same type',
  'change-literal': 'a text, number or boolean is another one',
  'change-member': 'a word that Kubernetes knows becomes another that it knows',
  'loosen-regex': 'a pattern loses an anchor',
  'change-security-field': 'a field that confines the pod is loosened',
  'widen-rights': 'a rule or binding gives more rights, or to more subjects',
  'schema-drop-keyword': 'a keyword of the values schema is left out',
  'schema-drop-member': 'an enum or a list of required keys loses a member',
  'schema-drop-property': 'a key is unknown to the values schema',
  'schema-change-limit': 'a limit is one more, or one less',
  'schema-widen-type': 'any type is allowed',
  'schema-narrow-type': 'one of several types is refused',
  'schema-loosen-pattern': 'a pattern loses an anchor',
} as const;

export type OperatorName = keyof typeof OPERATORS;

/** One fault put into one file: the stretch of its source, and what stands there instead. */
export interface Mutation extends Span {
  readonly operator: OperatorName;
  readonly replacement: string;
}

/** A template as the operators see it. */
export interface TemplateSource {
  readonly path: string;
  readonly template: Template;
  readonly types: ValueTypes;
}

/** Every mutation of one kind, from top to bottom. */
export type Operator = (source: TemplateSource) => readonly Mutation[];
