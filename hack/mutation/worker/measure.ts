import type { Test } from '@vitest/runner';
import { isTemplate, SCHEMA, type SourceFile, withMarkers } from '../catalogue/index.ts';
import { parseTemplate } from '../template/index.ts';
import type { Case } from './cases.ts';
import type { ChartFolders } from './folders.ts';
import type { Recorder } from './recorder.ts';
import type { Renderer } from './renderer.ts';

/** A test with what is known of it. */
export interface KnownTest {
  readonly test: Test;
  readonly cases: readonly Case[];
  readonly slow: boolean;
}

/** What the suite does on the chart without a fault: the measure for every mutant. */
export interface Measure {
  readonly tests: readonly KnownTest[];
  /** What helm said, by case. */
  readonly outcomes: ReadonlyMap<Case, Outcome>;
}

export interface Outcome {
  readonly ok: boolean;
  readonly fingerprint: string;
  /** What the values schema said. */
  readonly schema: string;
  /** Bodies of the templates that were executed. */
  readonly bodies: ReadonlySet<string>;
}

/** Takes the measure: the outcome and the coverage of each case that a test asked for. */
export const measure = async (
  tests: readonly Test[],
  tools: { recorder: Recorder; renderer: Renderer; folders: ChartFolders; files: readonly SourceFile[] },
): Promise<Measure> => {
  const { recorder, renderer, folders, files } = tools;
  const known = tests.map((test) => {
    const { cases, slow } = recorder.record(test);
    // Helm 4 first: what one of them notices, the other mostly notices too.
    return { test, slow, cases: [...cases].sort((a, b) => b.job.helm - a.job.helm) };
  });
  const cases = new Set(known.flatMap((one) => one.cases));
  const outcomes = new Map<Case, Outcome>();
  const plain = new Map<Case, Omit<Outcome, 'bodies'>>();
  for (const one of cases) {
    const { ok } = await recorder.answer(one);
    plain.set(one, { ok, fingerprint: await recorder.look(one), schema: await schemaSays(renderer, one) });
  }
  const marked = files
    .filter(({ path }) => isTemplate(path))
    .map((file) => [file.path, withMarkers(file, parseTemplate(file.text))] as const);
  folders.apply(new Map(marked));
  for (const [one, outcome] of plain) {
    const { hits } = await renderer.ask({ ...one.job, coverage: true });
    outcomes.set(one, { ...outcome, bodies: new Set(hits ?? []) });
  }
  folders.restore();
  recorder.forget();
  return { tests: known, outcomes };
};

/** What the values schema says to a case, as the chart stands now. */
export const schemaSays = async (renderer: Renderer, { job }: Case): Promise<string> => {
  const { ok, stderr } = await renderer.ask({ ...job, schema: true });
  return ok ? '' : stderr;
};

/** Whether a case can come out differently for a fault in this place. */
export const reaches = ({ bodies }: Outcome, file: string, body: string | undefined): boolean =>
  file === SCHEMA || body === undefined || bodies.has(body);
