import { applyMutant, type Mutant, SCHEMA, type SourceFile } from '../catalogue/index.ts';
import type { Case } from './cases.ts';
import type { ChartFolders } from './folders.ts';
import { type KnownTest, type Measure, reaches, schemaSays } from './measure.ts';
import type { Verdict } from './protocol.ts';
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

/** Lets the suite judge one mutant after another. */
export class Judge {
  readonly #tools: JudgeTools;
  /** How often a test killed in a file, and in a body: what killed nearby is tried first. */
  readonly #kills = new Map<string, number>();

  constructor(tools: JudgeTools) {
    this.#tools = tools;
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
    process.env['NVIDIA_AICR_MUTANT'] = mutant.id;
    recorder.forget();
    folders.apply(new Map([[mutant.file, applyMutant(mutant, file.text)]]));
    try {
      const found = await this.#decide(mutant, hint);
      return { id: mutant.id, ...found, milliseconds: Math.round(performance.now() - start) };
    } finally {
      folders.restore();
      recorder.forget();
      delete process.env['NVIDIA_AICR_MUTANT'];
    }
  }

  async #decide(mutant: Mutant, hint: string | undefined): Promise<Omit<Verdict, 'id' | 'milliseconds'>> {
    const { suite } = this.#tools;
    if (await this.#rendersNowhere(mutant)) {
      return { status: 'killed-by-render', killer: '', differed: true, tests: 0 };
    }
    let differed = false;
    let tests = 0;
    for (const known of this.#ordered(mutant, hint)) {
      if (known.cases.length > 0 && !known.slow) {
        if (!(await this.#differs(mutant, known.cases))) continue;
        differed = true;
      }
      tests += 1;
      if (!(await suite.passes(new Set([known.test])))) {
        this.#remember(mutant, known);
        return { status: 'killed', killer: nameOf(known.test), differed: true, tests };
      }
    }
    return { status: 'survived', killer: '', differed, tests };
  }

  /** Whether of the cases that reach the place and rendered before, a dozen all over the suite render no more. */
  async #rendersNowhere(mutant: Mutant): Promise<boolean> {
    if (mutant.file === SCHEMA) return false;
    const { measure, recorder } = this.#tools;
    const reached = [...measure.outcomes].filter(
      ([{ job }, outcome]) => job.helm === 4 && outcome.ok && reaches(outcome, mutant.file, mutant.body),
    );
    const step = Math.max(1, Math.floor(reached.length / SAMPLE));
    const sample = reached.filter((_, index) => index % step === 0);
    for (const [one] of sample) if ((await recorder.answer(one)).ok) return false;
    return sample.length > 0;
  }

  /** Tests in the order in which they are likely to fail. */
  #ordered(mutant: Mutant, hint: string | undefined): readonly KnownTest[] {
    const { measure } = this.#tools;
    const candidates = measure.tests.filter(
      ({ cases, slow }) =>
        slow ||
        cases.length === 0 ||
        cases.some((one) => {
          const outcome = measure.outcomes.get(one);
          return outcome === undefined || reaches(outcome, mutant.file, mutant.body);
        }),
    );
    const rank = (known: KnownTest): readonly number[] => [
      nameOf(known.test) === hint ? 0 : 1,
      // Tests without renders and tests with processes rarely see a fault; the latter take long.
      known.slow ? 2 : known.cases.length === 0 ? 1 : 0,
      -(this.#kills.get(`${mutant.file} ${mutant.body} ${known.test.id}`) ?? 0),
      -(this.#kills.get(`${mutant.file} ${known.test.id}`) ?? 0),
      known.cases.length,
    ];
    return candidates
      .map((known) => ({ known, ranks: rank(known) }))
      .sort((a, b) => compare(a.ranks, b.ranks))
      .map(({ known }) => known);
  }

  async #differs(mutant: Mutant, cases: readonly Case[]): Promise<boolean> {
    const { measure, recorder, renderer } = this.#tools;
    for (const one of cases) {
      const outcome = measure.outcomes.get(one);
      if (outcome === undefined) return true;
      if (!reaches(outcome, mutant.file, mutant.body)) continue;
      // The templates are the same, so the values schema alone decides.
      if (mutant.file === SCHEMA) {
        if ((await schemaSays(renderer, one)) !== outcome.schema) return true;
      } else if ((await recorder.look(one)) !== outcome.fingerprint) return true;
    }
    return false;
  }

  #remember(mutant: Mutant, { test }: KnownTest): void {
    for (const place of [`${mutant.file} ${mutant.body} ${test.id}`, `${mutant.file} ${test.id}`]) {
      this.#kills.set(place, (this.#kills.get(place) ?? 0) + 1);
    }
  }
}

const compare = (a: readonly number[], b: readonly number[]): number => {
  const at = a.findIndex((rank, index) => rank !== b[index]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
};
