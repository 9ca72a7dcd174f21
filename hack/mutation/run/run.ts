import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cachePath } from '../../cluster/cache.ts';
import { toolPath } from '../../cluster/tools.ts';
import { VERSIONS } from '../../cluster/versions.ts';
import { type Mutant, mutantsOf } from '../catalogue/index.ts';
import { htmlReport, jsonReport, textReport } from '../report/index.ts';
import type { Verdict } from '../worker/protocol.ts';
import type { VitestSetup } from '../worker/setup.ts';
import { digestFiles, VerdictCache } from './cache.ts';
import { type Equivalent, means, readEquivalents } from './equivalents.ts';
import type { Work } from './handout.ts';
import { OutcomeCache } from './outcomes.ts';
import { buildRenderer } from './program.ts';
import type { Project } from './project.ts';
import { tidyRenders } from './renders.ts';
import { closingLine, type Score, score } from './score.ts';
import { judgeMutants } from './workers.ts';

/** Milliseconds between two lines on how far it is. */
const PROGRESS = 30_000;

export interface RunOptions {
  /** Workers side by side. */
  readonly workers: number;
  /** Judge again what an earlier run has judged. */
  readonly fresh: boolean;
  /** Compare every render of the suite with the real helm's first. */
  readonly prove: boolean;
  /** Which mutants; all others are left out of the count. */
  readonly wanted: (mutant: Mutant) => boolean;
  /** Told what goes on, one line at a time. */
  readonly say: (line: string) => void;
}

/**
 * Mutates a project's chart, lets its suite judge every mutant, and writes the reports.
 * @returns the score; the last line said is the closing one
 * @throws Error when the suite fails without a mutant, or the project is at fault
 */
export const mutate = async (project: Project, options: RunOptions): Promise<Score> => {
  const { fresh, wanted, say } = options;
  const files = await project.chart();
  const all = mutantsOf(files);
  const mutants = all.filter(wanted);
  const equivalents = readEquivalents(path.join(project.root, project.equivalents));
  const setup = await project.suite();
  const cache = new VerdictCache(cachePath('mutation', project.name), files, stateOf(project, setup));
  const outcomes = new OutcomeCache(cachePath('mutation', project.name, 'outcomes'));
  const known = mutants.flatMap((mutant) => (fresh ? [] : (cache.get(mutant) ?? [])));
  const verdicts = new Map<string, Verdict>(known.map((verdict) => [verdict.id, verdict]));
  const open = mutants.filter(({ id }) => !verdicts.has(id));
  say(`${mutants.length} mutants, ${verdicts.size} of them judged before`);
  const start = performance.now();
  if (open.length > 0 || options.prove)
    await judge(files, open, { ...options, cache, verdicts, setup, outcomes });
  const minutes = (performance.now() - start) / 60_000;
  const result = score(mutants, verdicts, equivalentsFor(mutants, all, equivalents));
  writeReports(project, result, files);
  say(textReport(result, files, project.origin));
  say('');
  const pace = open.length === 0 ? '' : `, ${Math.round(open.length / minutes)} a minute`;
  say(`${open.length} mutants judged in ${Math.round(minutes * 60)} s by ${options.workers} workers${pace}`);
  say(closingLine(result));
  return result;
};

/** The entries that a part of the mutants can be held against: those about it, and those about no mutant at all. */
const equivalentsFor = (
  mutants: readonly Mutant[],
  all: readonly Mutant[],
  equivalents: readonly Equivalent[],
): readonly Equivalent[] =>
  equivalents.filter(
    (entry) => mutants.some((mutant) => means(entry, mutant)) || !all.some((mutant) => means(entry, mutant)),
  );

/** What a verdict depends on besides the chart. The list of equivalents is read when all are judged. */
const stateOf = ({ root, sources, equivalents }: Project, { include }: VitestSetup): string => {
  const digest = digestFiles(root, sources, equivalents);
  return JSON.stringify([include, digest, VERSIONS.helm3, VERSIONS.helm4, process.version]);
};

const judge = async (
  files: Awaited<ReturnType<Project['chart']>>,
  open: readonly Mutant[],
  tools: RunOptions & {
    cache: VerdictCache;
    verdicts: Map<string, Verdict>;
    setup: VitestSetup;
    outcomes: OutcomeCache;
  },
): Promise<void> => {
  const { cache, verdicts, setup, outcomes, say } = tools;
  const hints = cache.hints();
  // What no earlier run has seen killed comes first, and of that where nothing may survive: a run may be broken off.
  const place = ({ id, area }: Mutant): number => 2 * Number(hints.has(id)) + Number(area === 'other');
  const ordered = [...open].sort((a, b) => place(a) - place(b));
  const byId = new Map(open.map((mutant) => [mutant.id, mutant]));
  const start = performance.now();
  let phase = 'building the renderer';
  const work: Work = {
    mutants: ordered,
    hints,
    outcomes: tools.prove ? new Map() : outcomes.read(),
    count: Math.max(1, Math.min(tools.workers, open.length)),
    onBaseline: ({ tests, cases, slow }) => {
      phase = 'measuring the renders';
      say(`the suite has ${tests} tests with ${cases.length} renders; ${slow.length} tests start processes`);
    },
    onVerdict: (verdict) => {
      const mutant = byId.get(verdict.id);
      if (mutant === undefined) return;
      verdicts.set(verdict.id, verdict);
      cache.set(mutant, verdict);
    },
  };
  const progress = setInterval(() => {
    // What is judged stays judged, also when this run is broken off.
    cache.save();
    const judged = open.filter(({ id }) => verdicts.has(id)).length;
    const minutes = (performance.now() - start) / 60_000;
    say(
      judged === 0
        ? `${phase} for ${Math.round(minutes * 60)} s`
        : `${judged} of ${open.length} judged, ${Math.round(judged / minutes)} a minute`,
    );
  }, PROGRESS);
  try {
    const renderer = await buildRenderer(VERSIONS.kubernetes);
    phase = 'running the suite without a fault';
    await judgeMutants(work, {
      setup,
      assignment: {
        files,
        renderer,
        renders: tidyRenders(renderer),
        helms: { 3: toolPath('helm3'), 4: toolPath('helm4') },
        prove: tools.prove,
      },
    });
  } finally {
    clearInterval(progress);
    cache.save();
    outcomes.write(work.outcomes);
  }
};

const writeReports = (
  project: Project,
  result: Score,
  files: Awaited<ReturnType<Project['chart']>>,
): void => {
  const out = path.join(project.root, project.out);
  mkdirSync(out, { recursive: true });
  writeFileSync(path.join(out, 'report.json'), jsonReport(result, files, project.origin));
  writeFileSync(path.join(out, 'report.html'), htmlReport(result, files, project.origin));
  writeFileSync(
    path.join(out, 'report.txt'),
    `${textReport(result, files, project.origin)}\n\n${closingLine(result)}\n`,
  );
};
