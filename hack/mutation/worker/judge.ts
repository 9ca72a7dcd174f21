import { applyMutant, type Mutant, SCHEMA, type SourceFile, showing } from '../catalogue/index.ts';
import type { Case } from './cases.ts';
import type { ChartFolders } from './folders.ts';
import { filesOf, type Measure, reaches, schemaSays } from './measure.ts';
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

type Found = Omit<Verdict, 'id' | 'milliseconds'>;

/** Lets the suite judge one mutant after another. */
export class Judge {
  readonly #tools: JudgeTools;
  readonly #order: Order;
  readonly #showing: ReturnType<typeof showing>;
  /** Whether a case comes out differently for the mutant of the moment. */
  #differences = new Map<Case, boolean>();

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
    if (await this.#rendersNowhere(mutant)) {
      return { status: 'killed-by-render', killer: '', differed: true, tests: 0 };
    }
    let differed = false;
    let tests = 0;
    const renders = measure.tests.filter(({ cases, slow }) => cases.length > 0 && !slow);
    for (const known of this.#order.sort(renders, mutant, hint)) {
      if (!(await this.#differs(mutant, known.cases))) continue;
      differed = true;
      tests += 1;
      if (!(await suite.passes(new Set([known.test])))) {
        this.#order.killed(mutant, known);
        return { status: 'killed', killer: nameOf(known.test), differed, tests };
      }
    }
    // Whoever looks at the chart in other ways is asked at last: first all that take no time, then one by one.
    const others = measure.tests.filter((one) => !renders.includes(one));
    const quick = others.filter(({ slow }) => !slow);
    for (const group of [quick, ...others.filter(({ slow }) => slow).map((one) => [one])]) {
      tests += group.length;
      if (await suite.passes(new Set(group.map(({ test }) => test)))) continue;
      return {
        status: 'killed',
        killer: group.map(({ test }) => nameOf(test)).join(' or '),
        differed,
        tests,
      };
    }
    return { status: 'survived', killer: '', differed, tests };
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
      const survey = { stamp: mutant.id, only: this.#shown(mutant, one), check: true };
      if ((await renderer.ask({ ...one.job, survey })).ok) return false;
    }
    return sample.length > 0;
  }

  async #differs(mutant: Mutant, cases: readonly Case[]): Promise<boolean> {
    for (const one of cases) {
      const outcome = this.#tools.measure.outcomes.get(one);
      if (outcome === undefined) return true;
      if (!reaches(one, outcome, mutant)) continue;
      const known = this.#differences.get(one);
      const differs = known ?? (await this.#look(mutant, one, outcome));
      this.#differences.set(one, differs);
      if (differs) return true;
    }
    return false;
  }

  /** Renders as little as can show the difference. */
  async #look(mutant: Mutant, one: Case, outcome: Outcome): Promise<boolean> {
    const { recorder, renderer } = this.#tools;
    // The templates are the same, so the values schema alone decides.
    if (mutant.file === SCHEMA) return (await schemaSays(renderer, one)) !== outcome.schema;
    // What was refused ends early; and which template refuses first depends on all of them.
    if (one.job.helm === 3 || !outcome.ok) return (await recorder.look(one)) !== outcome.fingerprint;
    const only = this.#shown(mutant, one);
    const files = filesOf(await renderer.ask({ ...one.job, survey: { stamp: mutant.id, only } }));
    return Object.entries(files).some(([file, digest]) => outcome.files[file] !== digest);
  }

  /** Templates that can come out differently. */
  #shown({ file, scope }: Mutant, { job }: Case): readonly string[] {
    return this.#showing(file, scope).filter(
      (path) => !path.endsWith('/NOTES.txt') || job.args[0] !== 'template',
    );
  }
}
