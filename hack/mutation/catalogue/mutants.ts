import { createHash } from 'node:crypto';
import { isMap, isPair, parseDocument, visit } from 'yaml';
import {
  type Mutation,
  mutateSchema,
  TEMPLATE_OPERATORS,
  type ValueTypes,
  valueTypes,
} from '../operators/index.ts';
import { parseTemplate, SyntaxFault, type Template } from '../template/index.ts';
import { areaOf } from './area.ts';
import { bodyAround, bodyName } from './bodies.ts';
import { isTemplate, type Mutant, SCHEMA, type SourceFile } from './mutant.ts';
import { isPartial } from './shows.ts';

/**
 * All mutants of a chart, in the order of its files and of the places in them. Those that would be the same text are
 * one.
 * @param files the chart's files
 * @throws Error naming the file that is no template
 */
export const mutantsOf = (files: readonly SourceFile[]): readonly Mutant[] => {
  const schema = files.find(({ path }) => path === SCHEMA);
  const types = schema === undefined ? new Map<string, string>() : valueTypes(JSON.parse(schema.text));
  const ids = new Map<string, number>();
  return [...files]
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .flatMap((file) => {
      if (file.path === SCHEMA) return ofSchema(file, ids);
      return isTemplate(file.path) ? ofTemplate(file, types, ids) : [];
    });
};

const ofTemplate = (file: SourceFile, types: ValueTypes, ids: Map<string, number>): readonly Mutant[] => {
  const template = parse(file);
  const source = { path: file.path, template, types };
  const mutations = TEMPLATE_OPERATORS.flatMap((operator) => operator(source));
  return distinct(file.text, mutations).flatMap((mutation) => {
    const { body, index } = bodyAround(template, mutation.start, mutation.end);
    // Between the defines of a partial nothing is executed.
    if (index === 0 && isPartial(file.path) && !isDefine(template, mutation)) return [];
    return [mutant(file, mutation, body.define, bodyName(file.path, index), ids)];
  });
};

const isDefine = (template: Template, { start, end }: Mutation): boolean =>
  template.body.some((node) => node.kind === 'block' && node.start < start && end < node.end);

const parse = (file: SourceFile): Template => {
  try {
    return parseTemplate(file.text);
  } catch (error) {
    if (error instanceof SyntaxFault) throw new Error(`${file.path}, ${error.message}`, { cause: error });
    throw error;
  }
};

const ofSchema = (file: SourceFile, ids: Map<string, number>): readonly Mutant[] => {
  const paths = jsonPaths(file.text);
  return distinct(file.text, mutateSchema(file.text)).map((mutation) => {
    const around = paths.findLast(({ start, end }) => start <= mutation.start && mutation.end <= end);
    return mutant(file, mutation, around?.path ?? '', undefined, ids);
  });
};

/** Every pair of a JSON text with the path of names down to it, the outer ones first. */
const jsonPaths = (text: string): readonly { path: string; start: number; end: number }[] => {
  const paths: { path: string; start: number; end: number }[] = [];
  visit(parseDocument(text), {
    Pair(_, pair, ancestors) {
      const range = isMap(pair.value) ? pair.value.range : undefined;
      if (range == null) return;
      const names = [...ancestors, pair].flatMap((node) => (isPair(node) ? [String(node.key)] : []));
      const path = names.filter((name) => name !== 'properties').join('.');
      paths.push({ path, start: range[0], end: range[1] });
    },
  });
  return paths;
};

/** By place; without those that change nothing or make the same text as one before. */
const distinct = (text: string, mutations: readonly Mutation[]): readonly Mutation[] => {
  const seen = new Set<string>([text]);
  const sorted = [...mutations].sort((a, b) => a.start - b.start || a.end - b.end);
  return sorted.filter(({ start, end, replacement }) => {
    const mutated = text.slice(0, start) + replacement + text.slice(end);
    if (seen.has(mutated)) return false;
    seen.add(mutated);
    return true;
  });
};

const mutant = (
  file: SourceFile,
  { start, end, replacement, operator }: Mutation,
  scope: string,
  body: string | undefined,
  ids: Map<string, number>,
): Mutant => {
  const { text } = file;
  const original = text.slice(start, end);
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const lineEnd = text.indexOf('\n', start);
  const line = text.slice(lineStart, lineEnd === -1 ? text.length : lineEnd);
  const words = JSON.stringify([file.path, operator, scope, line.trim(), original.trim(), replacement]);
  // The same fault in the same words elsewhere in the scope: they are told apart by their order.
  const count = ids.get(words) ?? 0;
  ids.set(words, count + 1);
  return {
    id: createHash('sha256').update(`${words}${count}`).digest('hex').slice(0, 10),
    file: file.path,
    operator,
    area: areaOf({ file, scope, original, line }),
    scope,
    line: text.slice(0, start).split('\n').length,
    start,
    end,
    original,
    replacement,
    body,
  };
};
