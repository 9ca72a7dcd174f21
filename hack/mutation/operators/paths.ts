import { commandsOf, type Operand } from '../template/index.ts';
import type { Mutation, Operator, TemplateSource } from './mutation.ts';
import { sibling } from './value-types.ts';

type Path = Extract<Operand, { kind: 'path' }>;

/** What Helm gives to every template, and its like. */
const BUILT_IN: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'Release.Name': 'Release.Namespace',
    'Release.Namespace': 'Release.Name',
    'Release.Service': 'Release.Name',
    'Chart.Name': 'Release.Name',
    'Chart.Version': 'Chart.AppVersion',
    'Chart.AppVersion': 'Chart.Version',
  }),
);

/** Values read from another place of the same type. */
export const swapPaths: Operator = (source) =>
  commandsOf(source.template).flatMap(({ command }) =>
    command.operands.flatMap((operand) => (operand.kind === 'path' ? swap(source, operand) : [])),
  );

/**
 * A path names a value when its end is one: `.Values.a.b`, `$.Values.a.b`, and `$v.a.b` or `.a.b` where the values
 * are the variable or the dot.
 */
const swap = ({ types }: TemplateSource, { root, names, start, end }: Path): readonly Mutation[] => {
  const lead = names[0] === 'Values' ? ['Values'] : [];
  const path = names.slice(lead.length).join('.');
  const other = lead.length === 0 ? (BUILT_IN.get(path) ?? sibling(types, path)) : sibling(types, path);
  if (other === undefined) return [];
  return [{ operator: 'swap-path', start, end, replacement: `${root}.${[...lead, other].join('.')}` }];
};
