import { applyMutant, type Mutant, SCHEMA, type SourceFile, showing } from '../catalogue/index.ts';
import type { Case } from './cases.ts';
import type { ChartFolders } from './folders.ts';
import { filesOf, type KnownTest, type Measure, reaches, schemaSays } from './measure.ts';
import { Order } from './order.ts';
import type { Outcome, Verdict } from './protocol.ts';
import type { Recorder } from './recorder.ts';
import type { Renderer } from './renderer.ts';
import { type CollectedSuite, nameOf } from './suite.ts';

/** Cases of which one must render, or the mutant counts as one that does not render. */
const SAMPLE = 12;

export interface JudgeTools {
  readonly suite: CollectedSuite;
  readonly measure: Measure;
  readonly recorder: Recorder;
  readonly renderer: Renderer;
  readonly folders: ChartFolders;
  readonly files: readonly SourceFile[];
}

/** In what a render differs: in nothing, in its text alone, or in its objects too. */
type Difference = 'nothing' | 'text' | 'objects';

/** Tests that are asked about a mutant that changes no objects, only how they are written. */
const READERS = 25;

type Found = Omit<Verdict, 'id' | 'milliseconds'>;

/** Lets the suite judge one mutant after another. */
export class Judge {
  readonly #tools: JudgeTools;
  readonly #order: Order;
  readonly #showing: ReturnType<typeof showing>;
  /** Whether a case comes out differently for the mutant of the moment. */
  #differences = new Map<Case, Difference>();

  constructor(tools: JudgeTools) {
    this.#tools = tools;
    this.#order = new Order(tools.measure.tests, tools.files);
    this.#showing = showing(tools.files);
  }

  /**
   * Runs the suite's tests against the mutant until one fails. A test is only run when one of its renders comes
   * out differently: with the same renders it would pass as it did.
   * @param hint name of the test that killed it in an earlier run
   */
  async judge(mutant: Mutant, hint: string | undefined): Promise<Verdict> {
    const start = performance.now();
    const { folders, recorder, files } = this.#tools;
    const file = files.find(({ path }) => path === mutant.file);
    if (file === undefined) throw new Error(`there is no ${mutant.file} in the chart`);
    recorder.forget();
    this.#differences = new Map();
    folders.apply(new Map([[mutant.file, applyMutant(mutant, file.text)]]));
    try {
      const found = await this.#decide(mutant, hint);
      return { id: mutant.id, ...found, milliseconds: Math.round(performance.now() - start) };
    } finally {
      folders.restore();
      recorder.forget();
    }
  }

  async #decide(mutant: Mutant, hint: string | undefined): Promise<Found> {
    const { suite, measure } = this.#tools;
    const found = { differed: false, tests: 0 };
    const renders = measure.tests.filter(({ cases, slow }) => cases.length > 0 && !slow);
    // It mostly notices again, and nothing else need be asked.
    const before = renders.find(({ test }) => nameOf(test) === hint);
    if (before !== undefined && (await this.#difference(mutant, before.cases)) !== 'nothing') {
      if (await this.#kills(mutant, before, found)) return killedBy(before, found);
    }
    if (await this.#rendersNowhere(mutant)) {
      return { status: 'killed-by-render', killer: '', differed: true, tests: 0 };
    }
    const readers: KnownTest[] = [];
    for (const known of this.#order.sort(renders, mutant)) {
      if (known === before) continue;
      const difference = await this.#difference(mutant, known.cases);
      if (difference === 'text') readers.push(known);
      if (difference !== 'objects') continue;
      if (await this.#kills(mutant, known, found)) return killedBy(known, found);
    }
    for (const known of readers.slice(0, READERS)) {
      if (await this.#kills(mutant, known, found)) return killedBy(known, found);
    }
    // Whoever looks at the chart in other ways is asked at last: first all that take no time, then one by one.
    const others = measure.tests.filter((one) => !renders.includes(one));
    const quick = others.filter(({ slow }) => !slow);
    for (const group of [quick, ...others.filter(({ slow }) => slow).map((one) => [one])]) {
      found.tests += group.length;
      if (await suite.passes(new Set(group.map(({ test }) => test)))) continue;
      return { ...found, status: 'killed', killer: group.map(({ test }) => nameOf(test)).join(' or ') };
    }
    return { ...found, status: 'survived', killer: '' };
  }

  /** Runs one test. @returns whether it fails */
  async #kills(
    mutant: Mutant,
    known: KnownTest,
    found: { differed: boolean; tests: number },
  ): Promise<boolean> {
    found.differed = true;
    found.tests += 1;
    if (await this.#tools.suite.passes(new Set([known.test]))) return false;
    this.#order.killed(mutant, known);
    return true;
  }

  /** Whether of the cases that reach the place and rendered before, a dozen all over the suite render no more. */
  async #rendersNowhere(mutant: Mutant): Promise<boolean> {
    if (mutant.file === SCHEMA) return false;
    const { measure, renderer } = this.#tools;
    const reached = [...measure.outcomes].filter(
      ([one, outcome]) => one.job.helm === 4 && outcome.ok && reaches(one, outcome, mutant),
    );
    const step = Math.max(1, Math.floor(reached.length / SAMPLE));
    const sample = reached.filter((_, index) => index % step === 0);
    for (const [one] of sample) {
      const survey = { only: this.#shown(mutant, one) };
      const { ok, files = {} } = await renderer.ask({ ...one.job, survey });
      if (ok && Object.values(files).every((made) => !made.endsWith(' '))) return false;
    }
    return sample.length > 0;
  }

  /** The greatest difference among a test's renders. */
  async #difference(mutant: Mutant, cases: readonly Case[]): Promise<Difference> {
    let greatest: Difference = 'nothing';
    for (const one of cases) {
      const outcome = this.#tools.measure.outcomes.get(one);
      if (outcome === undefined) return 'objects';
      if (!reaches(one, outcome, mutant)) continue;
      const difference = this.#differences.get(one) ?? (await this.#look(mutant, one, outcome));
      this.#differences.set(one, difference);
      if (difference === 'objects') return difference;
      if (difference === 'text') greatest = difference;
    }
    return greatest;
  }

  /** Renders as little as can show the difference. */
  async #look(mutant: Mutant, one: Case, outcome: Outcome): Promise<Difference> {
    const { recorder, renderer } = this.#tools;
    const exactly = (same: boolean): Difference => (same ? 'nothing' : 'objects');
    // The templates are the same, so the values schema alone decides.
    if (mutant.file === SCHEMA) return exactly((await schemaSays(renderer, one)) === outcome.schema);
    // What was refused ends early; and which template refuses first depends on all of them.
    if (one.job.helm === 3 || !outcome.ok) return exactly((await recorder.look(one)) === outcome.fingerprint);
    const survey = { only: this.#shown(mutant, one) };
    const made = Object.entries(filesOf(await renderer.ask({ ...one.job, survey })));
    const changed = made.filter(([file, digests]) => outcome.files[file] !== digests);
    if (changed.length === 0) return 'nothing';
    const objects = (digests = ''): string => digests.slice(digests.indexOf(' '));
    return changed.every(([file, digests]) => objects(digests) === objects(outcome.files[file]))
      ? 'text'
      : 'objects';
  }

  /** Templates that can come out differently. */
  #shown({ file, scope }: Mutant, { job }: Case): readonly string[] {
    return this.#showing(file, scope).filter(
      (path) => !path.endsWith('/NOTES.txt') || job.args[0] !== 'template',
    );
  }
}

const killedBy = ({ test }: KnownTest, found: Pick<Verdict, 'differed' | 'tests'>): Found => ({
  ...found,
  status: 'killed',
  killer: nameOf(test),
});
