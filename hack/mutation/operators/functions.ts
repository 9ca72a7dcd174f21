import {
  argumentsOf,
  blocksOf,
  type Command,
  commandsOf,
  functionOf,
  type Template,
} from '../template/index.ts';
import { rowLists } from '../yaml/index.ts';
import type { Mutation, Operator } from './mutation.ts';
import type { ValueTypes } from './value-types.ts';

/** Functions of one value that give it back in another form: what is left without them is still a value. */
const FORMS: ReadonlySet<string> = new Set([
  ...['quote', 'squote', 'default', 'required', 'coalesce'],
  ...['trunc', 'lower', 'upper', 'trim', 'trimAll', 'trimPrefix', 'trimSuffix', 'replace', 'regexReplaceAll'],
  ...['nindent', 'indent', 'toYaml', 'toJson', 'toString', 'int', 'int64', 'float64'],
  ...['b64enc', 'sha256sum', 'uniq', 'compact', 'sortAlpha', 'omit', 'pick', 'regexQuoteMeta', 'deepCopy'],
]);

/** Functions that are left out: a stage of a pipeline, or a call with its value behind it. */
export const dropFunctions: Operator = ({ template }) =>
  commandsOf(template).flatMap(({ command, pipeline, index }): readonly Mutation[] => {
    if (!FORMS.has(functionOf(command))) return [];
    const before = pipeline.commands[index - 1];
    if (before !== undefined) {
      return [{ operator: 'drop-function', start: before.end, end: command.end, replacement: '' }];
    }
    return dropCall(template.source, command);
  });

/** Functions whose value is their first argument; of the others it is the last. */
const VALUE_FIRST: ReadonlySet<string> = new Set(['omit', 'pick', 'coalesce']);

/** `f a b x` becomes `x`. */
const dropCall = (source: string, command: Command): readonly Mutation[] => {
  const values = argumentsOf(command);
  const value = VALUE_FIRST.has(functionOf(command)) ? values[0] : values.at(-1);
  if (value === undefined) return [];
  const { start, end } = command;
  return [{ operator: 'drop-function', start, end, replacement: source.slice(value.start, value.end) }];
};

/**
 * Indents that are two columns off. Two less breaks the line out of its parent, but for a list, which may stand in
 * its key's own column. Two more is seen only where other lines share the map or list. Elsewhere there is no such
 * mutant.
 */
export const shiftNindent: Operator = ({ template, types }) =>
  commandsOf(template).flatMap(({ command }): readonly Mutation[] => {
    const [width] = argumentsOf(command);
    if (!/^n?indent$/.test(functionOf(command)) || width?.kind !== 'number') return [];
    const columns = Number(width.text);
    const shifts = [
      ...(columns >= 2 && !showsList(template, types, command.start) ? [columns - 2] : []),
      ...(hasNeighbours(template, command.start, columns) ? [columns + 2] : []),
    ];
    return shifts.map((shifted) => ({
      operator: 'shift-nindent',
      start: width.start,
      end: width.end,
      replacement: String(shifted),
    }));
  });

/** Whether the value at a place is the dot of a `with` over a value that is a list. */
const showsList = (template: Template, types: ValueTypes, at: number): boolean => {
  const around = blocksOf(template).findLast(
    ({ keyword, start, end }) => keyword === 'with' && start <= at && at < end,
  );
  const [subject] = around?.branches[0]?.pipeline?.commands[0]?.operands ?? [];
  if (subject?.kind !== 'path') return false;
  return types.get(subject.names.filter((name) => name !== 'Values').join('.'))?.startsWith('array') === true;
};

const hasNeighbours = (template: Template, at: number, columns: number): boolean => {
  for (const rows of rowLists(template)) {
    const index = rows.findIndex(
      (row) =>
        row.kind === 'code' &&
        row.start <= at &&
        at < row.end &&
        row.nodes.every(({ kind }) => kind === 'action'),
    );
    if (index === -1) continue;
    const shown = (row: (typeof rows)[number]) => row.kind === 'text' || row.kind === 'code';
    const before = rows.slice(0, index).findLast(shown);
    const behind = rows.slice(index + 1).find(shown);
    return before?.indent === columns || behind?.indent === columns;
  }
  return false;
};
