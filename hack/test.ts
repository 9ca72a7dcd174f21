/** Runs the test suites one after another and counts over all of them. Only `hack/test` starts this. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { execa } from 'execa';
import {
  ensureCrds,
  ensureTools,
  prepareCluster,
  type ToolName,
  tearDownAbandoned,
} from './cluster/index.ts';
import { type Count, readReport } from './report.ts';

interface Suite {
  about: string;
  /** Minutes after which it is stopped and counts as failed. */
  limit: number;
  prepare?: () => Promise<unknown>;
  /** Takes so long that it runs only when it is named. */
  onlyByName?: true;
  /** @param all with what takes too long for every time */
  run: (all: boolean) => Promise<Count>;
  /** A line of its own at the end. */
  says?: (count: Count) => string;
}

const tools = (...names: ToolName[]) => ({ prepare: async () => await ensureTools(names) });

const SUITES: Record<string, Suite> = {
  check: { about: 'types, lint, generated files up to date', limit: 5, run: async () => await check() },
  unit: { about: 'single parts', limit: 20, ...tools('oras'), run: async () => await vitest('unit') },
  render: {
    about: 'the chart through Helm 3 and 4',
    limit: 20,
    prepare: async () => {
      await ensureTools(['helm3', 'helm4', 'etcd', 'kubectl', 'kube-apiserver']);
      await ensureCrds();
    },
    run: async () => await vitest('render'),
  },
  release: {
    about: 'packages, bill of materials, workflows, release scripts',
    limit: 15,
    ...tools('actionlint', 'oras', 'helm3', 'helm4'),
    run: async () => await vitest('release'),
  },
  mutation: {
    about: 'faults put into the chart, which the render suite must notice',
    limit: 30,
    ...tools('helm3', 'helm4'),
    run: async () => await mutation(),
  },
  runner: {
    about: 'the bundled program against real servers',
    limit: 25,
    ...tools('oras', 'etcd', 'kubectl', 'kube-apiserver', 'helm3', 'helm4'),
    run: async () => await vitest('runner'),
  },
  cluster: {
    about: 'the throwaway cluster itself',
    limit: 15,
    prepare: async () => await prepareCluster(),
    run: async () => await vitest('cluster'),
  },
  e2e: {
    about: 'real installs on a real cluster',
    limit: 35,
    prepare: async () => {
      await prepareCluster();
      await ensureTools(['helm314']);
    },
    run: async () => await vitest('e2e'),
  },
  faults: {
    about: 'what is done to an install, and what is left of it; --all: every row',
    limit: 90,
    prepare: async () => {
      await prepareCluster();
      // A row is a test of the suite `runner`.
      await ensureTools(['oras', 'etcd', 'kubectl', 'kube-apiserver', 'helm3', 'helm4']);
    },
    run: async (all) => {
      process.env['NVIDIA_AICR_FAULTS'] = all ? 'all' : 'fixed';
      return await vitest('faults');
    },
    says: ({ passed, failed }) => `faults ${passed + failed} survived ${passed}`,
  },
  stryker: {
    about: 'mutants of the TypeScript, judged by the tests of single parts; only by name',
    limit: 240,
    onlyByName: true,
    run: async () => await stryker(),
  },
};

const MUTATION_REPORT = 'dist/mutation/report.json';

/** Process group of the command of the moment: it and its workers, but not the clusters they start. */
let currentGroup: number | undefined;

/** A signal came: nothing new is started. */
let stopping = false;

/** Runs a command with our output. @returns its exit code */
async function run(argv: string[]): Promise<number> {
  const [file = '', ...args] = argv;
  const options = {
    stdio: ['ignore', 'inherit', 'inherit'],
    reject: false,
    preferLocal: true,
    detached: true,
  } as const;
  const child = execa(file, args, options);
  currentGroup = child.pid;
  const { exitCode } = await child;
  currentGroup = undefined;
  return exitCode ?? 1;
}

/** Asks the running command and its workers to end, and makes them end when they do not. */
async function stopCurrent(): Promise<void> {
  const group = currentGroup;
  if (group === undefined) return;
  signalGroup(group, 'SIGTERM');
  const deadline = Date.now() + 20_000;
  while (signalGroup(group, 0) && Date.now() < deadline) await delay(50);
  signalGroup(group, 'SIGKILL');
}

/** @returns false when nothing is left of the group */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}

/** The parts of `npm run check`, each passed or failed. */
async function check(): Promise<Count> {
  const parts = {
    types: ['tsc', '--noEmit'],
    lint: ['biome', 'check', '.'],
    generated: ['tsx', 'hack/generate.ts', '--check'],
  };
  const count: Count = { passed: 0, failed: 0 };
  for (const [name, argv] of Object.entries(parts)) {
    const passed = (await run(argv)) === 0;
    count[passed ? 'passed' : 'failed'] += 1;
    if (!passed) say(`check: ${name} failed`);
  }
  return count;
}

/** Stryker's own gate: it fails below the score of its config. */
async function stryker(): Promise<Count> {
  const passed = (await run(['stryker', 'run', 'hack/stryker/stryker.config.mjs'])) === 0;
  return passed ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/** The mutation tests: each mutated file, the score and the list of equivalents are passed or failed. */
async function mutation(): Promise<Count> {
  rmSync(MUTATION_REPORT, { force: true });
  await run(['tsx', 'hack/mutation/main.ts']);
  try {
    const { checks } = JSON.parse(readFileSync(MUTATION_REPORT, 'utf8')) as {
      checks: { faults: string[] }[];
    };
    const failed = checks.filter(({ faults }) => faults.length > 0).length;
    return { passed: checks.length - failed, failed };
  } catch {
    say('mutation: nothing was judged');
    return { passed: 0, failed: 1 };
  }
}

/** One vitest project. A run that ends badly without a failed test counts as one failure. */
async function vitest(project: string): Promise<Count> {
  const folder = mkdtempSync(join(tmpdir(), 'vitest-'));
  try {
    const report = join(folder, 'report.json');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const exitCode = await run(['vitest', 'run', '--project', project, ...reporters]);
    const count = readReport(report);
    if (count.passed + count.failed === 0) {
      say(`${project}: no test was run`);
      return { passed: 0, failed: 1 };
    }
    return exitCode !== 0 && count.failed === 0 ? { ...count, failed: 1 } : count;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A suite from its preparation to its count; whatever goes wrong is a failure of the suite. */
async function runSuite(name: string, suite: Suite, all: boolean): Promise<Count> {
  say(`== ${name}: ${suite.about}`);
  const start = Date.now();
  let count: Count = { passed: 0, failed: 1 };
  let limit: NodeJS.Timeout | undefined;
  try {
    await suite.prepare?.();
    limit = setTimeout(() => {
      say(`${name}: stopped after ${suite.limit} minutes`);
      void stopCurrent();
    }, suite.limit * 60_000);
    count = await suite.run(all);
  } catch (error) {
    say(`${name}: ${error instanceof Error ? error.message : error}`);
  } finally {
    clearTimeout(limit);
  }
  for (const folder of tearDownAbandoned()) say(`${name}: left ${folder} running; stopped`);
  const seconds = Math.round((Date.now() - start) / 1000);
  say(`== ${name}: ${count.passed} passed, ${count.failed} failed in ${seconds} s`);
  return count;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function usage(): string {
  const lines = Object.entries(SUITES).map(([name, { about }]) => `  ${name.padEnd(8)} ${about}`);
  return `Usage: hack/test [--all] [SUITE...]\n\nWithout a suite, all that need not be named:\n${lines.join('\n')}`;
}

async function main(args: string[]): Promise<number> {
  const all = args.includes('--all');
  const wanted = args.filter((arg) => arg !== '--all');
  if (wanted.includes('--help') || wanted.includes('-h')) {
    say(usage());
    return 0;
  }
  const unknown = wanted.filter((name) => !Object.hasOwn(SUITES, name));
  if (unknown.length > 0) {
    process.stderr.write(`no such suite: ${unknown.join(', ')}\n\n${usage()}\n`);
    return 2;
  }
  tearDownAbandoned();
  const total: Count = { passed: 0, failed: 0 };
  if ((await run(['tsx', 'hack/build.ts'])) !== 0) {
    // The suites still run: they tell what exactly is broken.
    say('the build failed');
    total.failed += 1;
  }
  const asked = Object.entries(SUITES).filter(([name, { onlyByName }]) =>
    wanted.length > 0 ? wanted.includes(name) : !onlyByName,
  );
  let last = '';
  for (const [name, suite] of asked) {
    if (stopping) return 1;
    const count = await runSuite(name, suite, all);
    total.passed += count.passed;
    total.failed += count.failed;
    last = suite.says?.(count) ?? '';
    // Alone it has the last word; among others the total has.
    if (last !== '' && asked.length > 1) say(last);
  }
  say(`${total.passed} passed, ${total.failed} failed`);
  if (last !== '' && asked.length === 1) say(last);
  return total.failed === 0 ? 0 : 1;
}

const finished = main(process.argv.slice(2));

for (const [signal, number] of [
  ['SIGHUP', 1],
  ['SIGINT', 2],
  ['SIGTERM', 15],
] as const) {
  process.on(signal, async () => {
    if (stopping) return;
    stopping = true;
    await stopCurrent();
    tearDownAbandoned();
    // The suite tidies up behind itself; a tool that is just being built is not waited for.
    await Promise.race([finished, delay(3000)]);
    process.exit(128 + number);
  });
}

process.exitCode = await finished;
