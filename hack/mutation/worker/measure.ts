import type { Test } from '@vitest/runner';
import { isTemplate, type Mutant, type SourceFile, withMarkers } from '../catalogue/index.ts';
import { parseTemplate } from '../template/index.ts';
import { type Case, withoutPlaces } from './cases.ts';
import type { ChartFolders } from './folders.ts';
import type { Outcome, Outcomes } from './protocol.ts';
import type { Recorder } from './recorder.ts';
import type { RenderAnswer, Renderer } from './renderer.ts';

/** A test with what it renders. */
export interface KnownTest {
  readonly test: Test;
  readonly cases: readonly Case[];
  readonly slow: boolean;
}

/** What the suite does on the chart without a fault: the measure for every mutant. */
export interface Measure {
  readonly tests: readonly KnownTest[];
  readonly outcomes: ReadonlyMap<Case, Outcome>;
}

/**
 * Puts together what tests asked for, without what another case speaks for. Tests of packed charts are left out: they
 * would compare the chart with the fault to one without.
 */
export const knownTests = (tests: readonly Test[], recorder: Recorder): readonly KnownTest[] =>
  tests.flatMap((test) => {
    const { cases, slow, blind } = recorder.record(test);
    if (blind) return [];
    const own = [...cases].filter((one) => !recorder.cases.isSpokenFor(one));
    // Helm 4 first: what one of them notices, the other mostly notices too.
    return { test, slow, cases: own.sort((a, b) => b.job.helm - a.job.helm) };
  });

/** Takes the measure of some cases: what comes out, and which parts of the templates it took. */
export const measure = async (
  cases: readonly Case[],
  tools: { recorder: Recorder; renderer: Renderer; folders: ChartFolders; files: readonly SourceFile[] },
): Promise<Outcomes> => {
  const { recorder, renderer, folders, files } = tools;
  const plain: Omit<Outcome, 'bodies' | 'files'>[] = [];
  for (const one of cases) {
    const { ok } = await recorder.answer(one);
    plain.push({ ok, fingerprint: await recorder.look(one), schema: await schemaSays(renderer, one) });
  }
  const marked = files
    .filter(({ path }) => isTemplate(path))
    .map((file) => [file.path, withMarkers(file, parseTemplate(file.text))] as const);
  folders.apply(new Map(marked));
  const outcomes: [string, Outcome][] = [];
  for (const [index, one] of cases.entries()) {
    const outcome = plain[index];
    const covered = await renderer.ask({ ...one.job, coverage: true });
    const { hits: bodies = [] } = covered;
    if (outcome !== undefined) outcomes.push([one.key, { ...outcome, bodies, files: filesOf(covered) }]);
  }
  folders.restore();
  recorder.forget();
  return outcomes;
};

/** What the values schema says to a case, as the chart stands now. */
export const schemaSays = async (renderer: Renderer, { job }: Case): Promise<string> => {
  const { ok, stderr } = await renderer.ask({ ...job, schema: true });
  return ok ? '' : stderr;
};

/** What the templates came to; an error stands for all of them. */
export const filesOf = ({ ok, stderr, files = {} }: RenderAnswer): Readonly<Record<string, string>> =>
  ok ? files : { error: withoutPlaces(stderr) };

/** Whether a case can come out differently for a fault in this place. */
export const reaches = (one: Case, { bodies }: Outcome, { file, body }: Mutant): boolean => {
  // Only what installs shows the notes.
  if (file.endsWith('/NOTES.txt') && one.job.args[0] === 'template') return false;
  return body === undefined || bodies.includes(body);
};
