import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import type { File, Test } from '@vitest/runner';
import { TestRunner } from 'vitest';
import { type Case, fingerprint } from './cases.ts';
import { ChartFolders } from './folders.ts';
import { interceptHelm, runHelm } from './intercept.ts';
import { Judge } from './judge.ts';
import { type KnownTest, knownTests, measure } from './measure.ts';
import { ASSIGNMENT, type Assignment, type Baseline, receive, send, type ToWorker } from './protocol.ts';
import { Recorder } from './recorder.ts';
import { Renderer } from './renderer.ts';
import { StoredRenders } from './stored.ts';
import { CollectedSuite, nameOf } from './suite.ts';

/**
 * A vitest runner that stays when the suite has run: it judges mutants with the collected tests, one after another,
 * until there are none left.
 */
export default class MutationRunner extends TestRunner {
  readonly #assignment: Assignment;
  readonly #folders: ChartFolders;
  readonly #renderer: Renderer;
  readonly #recorder: Recorder;
  readonly #files: File[] = [];

  constructor(config: ConstructorParameters<typeof TestRunner>[0]) {
    super(config);
    this.#assignment = JSON.parse(readFileSync(process.env[ASSIGNMENT] ?? '', 'utf8')) as Assignment;
    const { files, renderer, helms } = this.#assignment;
    this.#folders = new ChartFolders(files);
    this.#renderer = new Renderer(renderer);
    this.#recorder = new Recorder(this.#renderer, this.#folders, new StoredRenders(this.#assignment.renders));
    interceptHelm(helms, {
      helm: (generation, args) => this.#recorder.helm(generation, args),
      other: (program) => {
        if (program !== renderer) this.#recorder.other();
      },
    });
  }

  override onCollectStart(file: File): void {
    super.onCollectStart(file);
    this.#recorder.enter(file, true);
  }

  override async onBeforeRunSuite(suite: Parameters<TestRunner['onBeforeRunSuite']>[0]): Promise<void> {
    this.#recorder.enter(suite.file, false);
    await super.onBeforeRunSuite(suite);
  }

  /** Called by vitest in place of the test's function. */
  async runTask(test: Test): Promise<void> {
    await this.#recorder.running.run(test, () => TestRunner.getTestFn(test)());
  }

  /** Called with each file once its tests ran; the last one starts our part. */
  override async onAfterRunFiles(files: readonly File[] = []): Promise<void> {
    super.onAfterRunFiles();
    this.#files.push(...files);
    if (this.#files.length === this.#assignment.suite) await this.#judgeAll();
  }

  async #judgeAll(): Promise<void> {
    this.#recorder.stop();
    const socket = connect(this.#assignment.socket);
    try {
      await this.#serve(socket);
    } finally {
      socket.end();
      this.#renderer.close();
      this.#recorder.cases.remove();
    }
  }

  /** Tells of the suite, and then does what is asked. */
  async #serve(socket: Socket): Promise<void> {
    const suite = new CollectedSuite(this.#files, this);
    const all = suite.tests();
    const tests = knownTests(all, this.#recorder);
    const cases = new Map(tests.flatMap((known) => known.cases).map((one) => [one.key, one]));
    send(socket, { type: 'baseline', cases: [...cases.keys()], ...this.#describe(all, tests) });
    const { files } = this.#assignment;
    const tools = { recorder: this.#recorder, renderer: this.#renderer, folders: this.#folders, files };
    let judge: Judge | undefined;
    for await (const message of receive<ToWorker>(socket)) {
      if (message.type === 'measure') {
        const own = message.cases.flatMap((key) => cases.get(key) ?? []);
        const unequal = this.#assignment.prove ? await this.#prove(own) : [];
        send(socket, { type: 'measured', outcomes: await measure(own, tools), unequal });
      } else if (message.type === 'outcomes') {
        const byKey = new Map(message.outcomes);
        const outcomes = new Map(
          [...cases].flatMap(([key, one]) => {
            const outcome = byKey.get(key);
            return outcome === undefined ? [] : [[one, outcome] as const];
          }),
        );
        judge = new Judge({ ...tools, suite, measure: { tests, outcomes } });
      } else if (message.type === 'mutant' && judge !== undefined) {
        send(socket, { type: 'verdict', verdict: await judge.judge(message.mutant, message.hint) });
      } else {
        return;
      }
    }
  }

  /** Renders with the real helm. @returns the command lines to which it says something else */
  async #prove(cases: readonly Case[]): Promise<readonly string[]> {
    const unequal: string[] = [];
    for (const one of cases) {
      const { helm, args } = one.job;
      const real = await runHelm(this.#assignment.helms[helm], args);
      if (fingerprint(real) !== (await this.#recorder.look(one)))
        unequal.push(`helm ${helm} ${args.join(' ')}`);
    }
    return unequal;
  }

  #describe(all: readonly Test[], tests: readonly KnownTest[]): Omit<Baseline, 'cases'> {
    const failed = [...this.#files, ...all].filter(
      ({ type, result }) => result?.state === 'fail' && (type === 'test' || (result.errors?.length ?? 0) > 0),
    );
    return {
      tests: tests.length,
      failing: failed.map((task) => `${nameOf(task)}: ${task.result?.errors?.[0]?.message}`),
      early: this.#recorder.early().map(({ name }) => name),
      slow: tests.filter(({ slow }) => slow).map(({ test }) => nameOf(test)),
    };
  }
}
