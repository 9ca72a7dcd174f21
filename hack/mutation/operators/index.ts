import { dropMembers } from './arguments.ts';
import { dropActions, mutateBlocks } from './blocks.ts';
import { dropFunctions, shiftNindent } from './functions.ts';
import { mutateLines } from './lines.ts';
import { changeLiterals } from './literals.ts';
import { dropNot, flipLogic, swapArguments } from './logic.ts';
import type { Operator } from './mutation.ts';
import { swapPaths } from './paths.ts';
import { widenRights } from './rights.ts';

export { type Mutation, OPERATORS, type OperatorName, type TemplateSource } from './mutation.ts';
export { mutateSchema } from './schema.ts';
export { type ValueTypes, valueTypes } from './value-types.ts';

/** Everything that can go wrong in a template, as far as we can make it. */
export const TEMPLATE_OPERATORS: readonly Operator[] = [
  mutateBlocks,
  dropActions,
  flipLogic,
  dropNot,
  swapArguments,
  dropFunctions,
  shiftNindent,
  swapPaths,
  changeLiterals,
  dropMembers,
  mutateLines,
  widenRights,
];
