import { argumentsOf, type Command, commandsOf, functionOf, type Operand } from '../template/index.ts';
import type { Mutation, Operator } from './mutation.ts';

/** Members of `list` and pairs of `dict` that are left out. */
export const dropMembers: Operator = ({ template }) =>
  commandsOf(template).flatMap(({ command }): readonly Mutation[] => {
    const name = functionOf(command);
    if (name === 'list' || name === 'concat') return dropItems(command);
    if (name === 'dict') return dropPairs(command);
    return [];
  });

const dropItems = (command: Command): readonly Mutation[] =>
  argumentsOf(command).map((item, index) => ({ operator: 'drop-item', ...withBlank(command, index, item) }));

const dropPairs = (command: Command): readonly Mutation[] => {
  const values = argumentsOf(command);
  return values.flatMap((value, index): readonly Mutation[] => {
    if (index % 2 === 0) return [];
    return [{ operator: 'drop-key', ...withBlank(command, index - 1, value) }];
  });
};

/** From behind the argument before to the end of this one. */
const withBlank = (command: Command, index: number, last: Operand) => ({
  start: command.operands[index]?.end ?? last.start,
  end: last.end,
  replacement: '',
});
