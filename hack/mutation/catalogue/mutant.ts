import type { OperatorName } from '../operators/index.ts';

/** Parts of a chart in which no fault may go unnoticed; `other` is the rest. */
export type Area = 'guards' | 'rbac' | 'security' | 'secret' | 'other';

/** One file of a chart, with a fault in it. */
export interface Mutant {
  /** Ten hex digits that stay the same while the mutated place and the words around it do. */
  readonly id: string;
  /** Path in the chart. */
  readonly file: string;
  readonly operator: OperatorName;
  readonly area: Area;
  /** The define or, in the schema, the path around it; an empty text for the file itself. */
  readonly scope: string;
  /** Of its first character, counted from 1. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly original: string;
  readonly replacement: string;
  /** Which body of the template must be executed for it to matter; nothing for the schema. */
  readonly body: string | undefined;
}

/** A file of a chart, as text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** The file's text with the fault in it. */
export const applyMutant = ({ start, end, replacement }: Mutant, text: string): string =>
  text.slice(0, start) + replacement + text.slice(end);

/** The values schema's path in a chart. */
export const SCHEMA = 'values.schema.json';

/** Whether Helm executes a file. */
export const isTemplate = (path: string): boolean =>
  path.startsWith('templates/') && /\.(ya?ml|tpl|txt)$/.test(path);
