import {
  actionsOf,
  argumentsOf,
  bodiesOf,
  type Command,
  commandsOf,
  functionOf,
  type Operand,
  parseTemplate,
  type Template,
  unquote,
} from '../template/index.ts';
import { isTemplate, type SourceFile } from './mutant.ts';

/** What a define, or a file outside of its defines, includes: whole names, and beginnings of names. */
interface Part {
  readonly file: string;
  /** Of the define; an empty text for the file itself. */
  readonly name: string;
  readonly includes: readonly { readonly name: string; readonly whole: boolean }[];
}

/**
 * Says which files of a chart can come out differently when something in one of its templates changes.
 * @param files the chart's files
 * @returns for a file and a define in it, paths of the files that show it, or include what shows it
 */
export const showing = (
  files: readonly SourceFile[],
): ((file: string, define: string) => readonly string[]) => {
  const parts = files.filter(({ path }) => isTemplate(path)).flatMap(partsOf);
  return (file, define) => {
    const reached = new Set<Part>(parts.filter((part) => part.file === file && part.name === define));
    for (const { name } of reached) {
      if (name === '') continue;
      for (const part of parts) if (part.includes.some((one) => covers(one, name))) reached.add(part);
    }
    const shown = [...reached].filter((part) => part.name === '' && !isPartial(part.file));
    return [...new Set(shown.map((part) => part.file))];
  };
};

/** Whether Helm only takes the defines of a file. */
export const isPartial = (path: string): boolean => /(^|\/)_[^/]*$/.test(path);

const covers = (included: Part['includes'][number], name: string): boolean =>
  included.whole ? included.name === name : name.startsWith(included.name);

const partsOf = ({ path, text }: SourceFile): readonly Part[] => {
  const template = parseTemplate(text);
  const names = [...new Set(bodiesOf(template).map(({ define }) => define))];
  return names.map((name) => ({ file: path, name, includes: includesOf(template, name) }));
};

const includesOf = (template: Template, define: string): Part['includes'] => {
  const own = (start: number): boolean => defineAt(template, start) === define;
  const commands = commandsOf(template).filter(({ command }) => own(command.start));
  const calls = commands.filter(({ command }) => functionOf(command) === 'include');
  const actions = actionsOf(template).filter(({ keyword, start }) => keyword === 'template' && own(start));
  return [
    ...calls.map(({ command }) => nameIn(argumentsOf(command)[0])),
    ...actions.map(({ tag }) => ({ name: unquote(tag.tokens[1]?.text ?? '""'), whole: true })),
    // What `tpl` executes is not known.
    ...commands
      .filter(({ command }) => functionOf(command) === 'tpl')
      .map(() => ({ name: '', whole: false })),
  ];
};

const defineAt = (template: Template, at: number): string => {
  const define = template.body.find((node) => node.kind === 'block' && node.start <= at && at < node.end);
  return define?.kind === 'block' ? define.name : '';
};

/** A literal name, the beginning that a printf gives it, or any name. */
const nameIn = (operand: Operand | undefined): Part['includes'][number] => {
  if (operand?.kind === 'string') return { name: unquote(operand.text), whole: true };
  const [first] = operand?.kind === 'group' ? operand.pipeline.commands : [];
  const format = first === undefined ? undefined : formatOf(first);
  return { name: format?.split('%')[0] ?? '', whole: false };
};

const formatOf = (command: Command): string | undefined => {
  const [format] = functionOf(command) === 'printf' ? argumentsOf(command) : [];
  return format?.kind === 'string' ? unquote(format.text) : undefined;
};
