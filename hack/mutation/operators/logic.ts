import { type Command, commandsOf, functionOf } from '../template/index.ts';
import type { Mutation, Operator } from './mutation.ts';

/** Functions that decide, and those that decide the other way or at another edge. */
const OPPOSITES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    and: 'or',
    or: 'and',
    eq: 'ne',
    ne: 'eq',
    lt: 'le',
    le: 'lt',
    gt: 'ge',
    ge: 'gt',
    hasPrefix: 'hasSuffix',
    hasSuffix: 'hasPrefix',
    trimPrefix: 'trimSuffix',
    trimSuffix: 'trimPrefix',
    lower: 'upper',
    upper: 'lower',
    first: 'last',
    last: 'first',
  }),
);

/** Decisions turned round. */
export const flipLogic: Operator = ({ template }) =>
  commandsOf(template).flatMap(({ command }): readonly Mutation[] => {
    const [name] = command.operands;
    const opposite = OPPOSITES.get(functionOf(command));
    if (name === undefined || opposite === undefined) return [];
    return [{ operator: 'flip-logic', start: name.start, end: name.end, replacement: opposite }];
  });

/** `not x` becomes `x`. */
export const dropNot: Operator = ({ template }) =>
  commandsOf(template).flatMap(({ command }): readonly Mutation[] => {
    const [, argument] = command.operands;
    if (functionOf(command) !== 'not' || argument === undefined) return [];
    return [{ operator: 'drop-not', start: command.start, end: argument.start, replacement: '' }];
  });

/** `ternary a b` becomes `ternary b a`. */
export const swapArguments: Operator = ({ template }) =>
  commandsOf(template).flatMap(({ command }): readonly Mutation[] =>
    functionOf(command) === 'ternary' ? swapped(template.source, command) : [],
  );

const swapped = (source: string, { operands }: Command): readonly Mutation[] => {
  const [, yes, no] = operands;
  if (yes === undefined || no === undefined) return [];
  const between = source.slice(yes.end, no.start);
  const replacement = source.slice(no.start, no.end) + between + source.slice(yes.start, yes.end);
  return [{ operator: 'swap-arguments', start: yes.start, end: no.end, replacement }];
};
