import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import type { File, Test } from '@vitest/runner';
import { TestRunner } from 'vitest';
import { ChartFolders } from './folders.ts';
import { interceptHelm } from './intercept.ts';
import { Judge } from './judge.ts';
import { measure } from './measure.ts';
import { ASSIGNMENT, type Assignment, receive, send, type ToWorker } from './protocol.ts';
import { Recorder } from './recorder.ts';
import { Renderer } from './renderer.ts';
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
    this.#recorder = new Recorder(this.#renderer, this.#folders);
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
    const suite = new CollectedSuite(this.#files, this);
    const socket = connect(this.#assignment.socket);
    try {
      const tests = suite.tests();
      const tools = { recorder: this.#recorder, renderer: this.#renderer, folders: this.#folders };
      const measured = await measure(tests, { ...tools, files: this.#assignment.files });
      const unloaded = this.#files.filter(
        ({ result }) => result?.state === 'fail' && (result.errors?.length ?? 0) > 0,
      );
      const failing = tests.filter(({ result }) => result?.state === 'fail');
      send(socket, {
        type: 'baseline',
        tests: tests.length,
        cases: measured.outcomes.size,
        failing: [...unloaded, ...failing].map(
          (task) => `${nameOf(task)}: ${task.result?.errors?.[0]?.message}`,
        ),
        early: this.#recorder.early().map(({ name }) => name),
        slow: measured.tests.filter(({ slow }) => slow).map(({ test }) => nameOf(test)),
      });
      const judge = new Judge({ ...tools, suite, measure: measured, files: this.#assignment.files });
      for await (const message of receive<ToWorker>(socket)) {
        if (message.type === 'end') break;
        send(socket, { type: 'verdict', verdict: await judge.judge(message.mutant, message.hint) });
      }
    } finally {
      socket.end();
      this.#renderer.close();
      this.#recorder.cases.remove();
    }
  }
}
