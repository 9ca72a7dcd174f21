import type { ChartSources } from '../../chart/index.ts';
import { readModel } from '../../schema/index.ts';
import { readValues, type ValuesDocument } from './document.ts';
import { schemaFindings } from './faults.ts';
import { type Finding, stepsOf } from './finding.ts';
import { askGuards } from './guards.ts';

export { describe, type Finding } from './finding.ts';

/** Everything that is wrong with values files. */
export interface CheckReport {
  readonly findings: readonly Finding[];
  /** What could not be checked and why, as a sentence; empty when all was. */
  readonly unchecked: string;
}

/**
 * Checks values files: as YAML, against the chart's schema, and with the chart's guards through helm.
 * @param files in Helm's order: what a later one says wins
 * @throws Failure when a file cannot be read
 */
export const checkValues = async (
  files: readonly string[],
  sources: Omit<ChartSources, 'runner'>,
): Promise<CheckReport> => {
  const model = readModel(sources.schema);
  const documents = await Promise.all(files.map(readValues));
  const findings = documents.flatMap((document) =>
    [...document.findings, ...(document.data === undefined ? [] : schemaFindings(document, model))].sort(
      (a, b) => a.line - b.line || a.column - b.column,
    ),
  );
  if (documents.some((document) => document.data === undefined)) {
    return { findings, unchecked: 'Not checked yet: what values mean together, because a file is not YAML.' };
  }
  const guards = await askGuards(documents, sources, findings.length > 0);
  const fromGuards = guards.faults.map(({ path, message }) => ({
    ...placeOf(path, documents),
    path,
    message,
  }));
  return { findings: [...findings, ...fromGuards], unchecked: guards.unchecked };
};

/** Where a value stands: in the last file that has it, because that one wins. */
const placeOf = (
  path: string,
  documents: readonly ValuesDocument[],
): { file: string; line: number; column: number } => {
  const steps = stepsOf(path);
  const document = documents.findLast((one) => one.has(steps)) ?? documents[0];
  const place = document?.has(steps) === true ? document.place(steps) : undefined;
  return { file: document?.file ?? '', ...(place ?? { line: 0, column: 0 }) };
};
