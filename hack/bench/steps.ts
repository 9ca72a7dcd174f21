/**
 * A program for the installer's pod that takes the steps of the run which need no cluster, with the installer's own
 * plan, steps and ports, and then starts deploy.sh as the deploy step does. No Lease, no status document, no Events,
 * no checks: what the installer takes longer than this is what those cost. A call to the API server would throw.
 */
import type { RunSpec } from '../../src/contract/index.ts';
import type { StepContext } from '../../src/runner/context.ts';
import { runIdentity } from '../../src/runner/identity.ts';
import { createLog } from '../../src/runner/log.ts';
import { createMask } from '../../src/runner/mask.ts';
import { podPaths, rootOf } from '../../src/runner/paths.ts';
import { plan, podHost } from '../../src/runner/plan/index.ts';
import { type Cluster, createClock, createCommands, createHttp } from '../../src/runner/ports/index.ts';
import { readRunSpec } from '../../src/runner/spec.ts';
import { runStep } from '../../src/runner/steps/index.ts';

/** Steps that work on files. */
const OFFLINE: readonly string[] = ['download', 'recipe', 'bundle', 'verify'];

const noCluster = new Proxy({} as Cluster, {
  get: (_, call) => () => {
    throw new Error(`a step without a cluster asks for one: ${String(call)}`);
  },
});

const paths = podPaths(rootOf(process.argv.slice(2)));
const read = readRunSpec(paths.runSpecFile, 'bench', 'bench');
if (!read.ok) throw read.error;
// The recipe is written into no ConfigMap.
const spec: RunSpec = { ...read.spec, recipe: { ...read.spec.recipe, configMap: '' } };
const clock = createClock();
const mask = createMask();
const logFor = createLog((line) => process.stdout.write(line), mask.apply, clock.now);
const commands = createCommands({ mask: mask.apply, busy: () => null, stopGraceMs: () => 0 });
const { signal } = new AbortController();

const context: Omit<StepContext, 'log'> = {
  commands,
  cluster: noCluster,
  http: createHttp(),
  clock,
  run: runIdentity(process.env, spec),
  earlier: null,
  status: {
    note: () => {},
    component: () => {},
    warn: () => {},
    result: () => {},
    waitingForSecret: async () => {},
    secretLanded: async () => {},
    retrying: () => {},
  },
  signal,
  deadline: null,
  mask: mask.add,
};

for (const step of plan(spec, podHost(process.arch, paths))) {
  const log = logFor(step.name);
  if (OFFLINE.includes(step.name)) {
    log.info((await runStep(step, { ...context, log })).message);
  } else if (step.name === 'deploy') {
    await commands.run({ argv: step.argv, cwd: step.dir, onLine: log.child }, signal);
  }
}
