import { type File, type Suite, startTests, type Task, type Test, type VitestRunner } from '@vitest/runner';

/**
 * The suite's tests, once they are collected: any of them can be run again, by vitest's own runner with its hooks,
 * timeouts and assertions, without loading the files anew.
 */
export class CollectedSuite {
  readonly #files: readonly File[];
  readonly #runner: VitestRunner;
  #selected: readonly File[] = [];

  /**
   * @param files as vitest collected and ran them
   * @param runner that ran them
   */
  constructor(files: readonly File[], runner: VitestRunner) {
    this.#files = files;
    // The runner without its reports to vitest's main process, and with our files in place of newly read ones.
    const changes = new Map<string | symbol, unknown>(
      Object.entries({
        onCollected: (collected: File[]) => void collected.push(...this.#selected),
        onTaskUpdate: undefined,
        onAfterRunTask: undefined,
        onAfterRunSuite: undefined,
        onAfterRunFiles: undefined,
      }),
    );
    this.#runner = new Proxy(runner, {
      get: (target, name) => {
        if (changes.has(name)) return changes.get(name);
        const own: unknown = Reflect.get(target, name, target);
        return typeof own === 'function' ? own.bind(target) : own;
      },
    });
  }

  /** Every test that ran and passed or failed. */
  tests(): readonly Test[] {
    return this.#files.flatMap((file) => testsIn(file));
  }

  /**
   * Runs some tests again.
   * @returns whether all of them passed
   */
  async passes(tests: ReadonlySet<Test>): Promise<boolean> {
    this.#selected = this.#files.filter((file) => select(file, tests));
    await startTests([], this.#runner);
    return this.#selected.every((file) => file.result?.state === 'pass');
  }
}

const testsIn = (suite: Suite): readonly Test[] =>
  suite.tasks.flatMap((task) => {
    if (task.type === 'suite') return testsIn(task);
    return task.result?.state === 'pass' || task.result?.state === 'fail' ? [task] : [];
  });

/** Marks what shall run, and everything else to be skipped. @returns whether anything below the task shall run */
const select = (task: Task, tests: ReadonlySet<Test>): boolean => {
  const chosen =
    task.type === 'suite' ? task.tasks.filter((child) => select(child, tests)).length > 0 : tests.has(task);
  task.mode = chosen ? 'run' : 'skip';
  delete task.result;
  return chosen;
};

/** `file > describe > test`. */
export const nameOf = (task: Task): string => {
  if (task === task.file) return task.file.name;
  const above = task.suite === undefined || task.suite === task.file ? task.file.name : nameOf(task.suite);
  return `${above} > ${task.name}`;
};
