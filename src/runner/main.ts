import { EXIT_CODES, POD, POD_ENV, RunError, type RunStatus } from '../contract/index.ts';
import { createAnnouncer } from './announcer.ts';
import { stopGraceMs } from './deadline.ts';
import { endOfFailure } from './end.ts';
import { secretValues } from './environment.ts';
import { endOfEvicted, lookForEviction } from './eviction.ts';
import { missingVariables, runIdentity } from './identity.ts';
import { createLock } from './lock/index.ts';
import { createLog } from './log.ts';
import { createMask } from './mask.ts';
import { podPaths, rootOf } from './paths.ts';
import { type Learned, leftMsOf, runPipeline } from './pipeline.ts';
import { plan, podHost } from './plan/index.ts';
import { createClock, createCluster, createCommands, createHttp, podServiceAccount } from './ports/index.ts';
import { report } from './report.ts';
import { abortOnFaults, abortOnSignals } from './shutdown.ts';
import { createSink } from './sink.ts';
import { readRunSpec, type SpecResult } from './spec.ts';
import {
  createRecorder,
  createStatusWriter,
  isNewestRun,
  newStatus,
  noWriter,
  position,
  type RunEnd,
  shownStatus,
  summaryText,
} from './status/index.ts';

/** Grace period while the Job is not read: Kubernetes' own default. */
const DEFAULT_GRACE_MS = 30_000;

/** How long a slow reader of the log may hold up the end of the process. */
const LAST_LINES_MS = 5000;

const paths = podPaths(rootOf(process.argv.slice(2)));
const clock = createClock();
const mask = createMask();
// A reader of the log that goes away must not end the run.
process.stdout.on('error', () => {});
const sink = createSink(process.stdout);
const logFor = createLog(sink.write, mask.apply, clock.now);
const log = logFor('run');

const abort = new AbortController();
const learned: Learned = {
  observation: null,
  deadline: null,
  leftMs: { signal: DEFAULT_GRACE_MS, deadline: DEFAULT_GRACE_MS },
};

const read = readRunSpec(
  paths.runSpecFile,
  process.env[POD_ENV.podNamespace] ?? '',
  process.env[POD_ENV.jobName] ?? '',
);
const { spec } = read;
for (const value of secretValues(process.env, spec.environment)) {
  mask.add(value);
}
const identity = runIdentity(process.env, spec);
const missing = missingVariables(process.env);
const account = podServiceAccount(paths.serviceAccountDir, process.env);
const cluster = createCluster({ identity, clock, account, warn: (message) => log.warn(message) });
const announcer = createAnnouncer(cluster, clock, mask.apply);
const shown = (): RunStatus => shownStatus(recorder.status(), mask.apply);
const writer =
  spec.status.configMap === '' || missing.length > 0
    ? noWriter
    : createStatusWriter({
        cluster,
        clock,
        log,
        configMap: spec.status.configMap,
        namespace: spec.release.namespace,
        job: identity.job,
        status: shown,
        summary: (status) => summaryText(status, POD.mainContainer),
        ownsShared,
      });
const recorder = createRecorder({
  status: newStatus(spec, identity, process.env[POD_ENV.nodeName] ?? '', clock.now()),
  clock,
  log,
  announce: announcer.announce,
  changed: writer.changed,
});
const lock = createLock({
  cluster,
  clock,
  log: logFor('lock'),
  status: recorder,
  spec: spec.lock,
  identity,
  abort,
  where: () => position(recorder.status()),
});
abortOnSignals(abort, () => position(recorder.status()));
abortOnFaults(abort);
const eviction = lookForEviction(cluster, abort.signal);

log.info(
  `nvidia-aicr ${spec.chart.version}, release ${spec.release.name}, run ${identity.job}, pod ${identity.pod}`,
);
const end = endOfEvicted(await takeRun(read), await eviction());
recorder.finished(end);
await report({
  end,
  status: shown(),
  terminationFile: paths.terminationMessageFile,
  log,
  writer,
  announcer: missing.length > 0 ? null : announcer,
});
// Last of all: who waits for it shall find everything written.
await lock.release();
await sink.flush(LAST_LINES_MS);
process.exit(end.reason === '' ? 0 : EXIT_CODES[end.reason]);

/** Whether the release's shared documents are this run's: it holds the Lease, or it is the newest and no other one does. */
async function ownsShared(signal: AbortSignal): Promise<boolean> {
  const owner = lock.owner();
  const { job } = learned.observation ?? { job: null };
  return owner === 'undecided' ? await isNewestRun(cluster, identity.job, job, signal) : owner === 'this';
}

/** Takes the run, or says why there is none to take. */
function takeRun(result: SpecResult): Promise<RunEnd> | RunEnd {
  if (missing.length > 0) {
    const error = new RunError('RunSpecInvalid', `the installer's environment lacks ${missing.join(', ')}`, {
      hint: 'The chart sets these from the pod; let the chart make the Job.',
    });
    return endOfFailure(result.spec, error, []);
  }
  if (!result.ok) {
    return endOfFailure(result.spec, result.error, []);
  }
  return runPipeline({
    spec: result.spec,
    identity,
    plan: () => plan(result.spec, podHost(process.arch, paths)),
    cluster,
    commands: createCommands({
      mask: mask.apply,
      busy: sink.busy,
      stopGraceMs: () => stopGraceMs(leftMsOf(learned, abort.signal)),
    }),
    http: createHttp(),
    clock,
    logFor,
    mask: mask.add,
    announce: announcer.announce,
    recorder,
    lock,
    abort,
    learned,
  });
}
