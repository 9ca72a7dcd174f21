import { RunError, type RunSpec } from '../contract/index.ts';
import type { StepContext } from './context.ts';
import { alarmAt, deadlineOf, returnMs, stopGraceMs } from './deadline.ts';
import { endOfFailure, endOfSuccess, lateFailure, reasonOf, type StepEnd } from './end.ts';
import type { Lock } from './lock/index.ts';
import type { Log, LogFor } from './log.ts';
import { checkDisruptions, type Observation, observe } from './observe.ts';
import type { PlannedStep } from './planned.ts';
import type { Clock, Cluster, Commands, Http, RunEvent, RunIdentity } from './ports/index.ts';
import { removePredecessors } from './predecessors.ts';
import { position, type RunEnd, type RunRecorder } from './status/index.ts';
import { foresee, runStep, type StepOutcome } from './steps/index.ts';

/** Last lines of a child that are kept for a step that is stopped while the child runs. */
const LAST_LINES = 40;

/**
 * Time for stopping when another run has the Lease: helm may still mark its release, but the two should not work side
 * by side for long.
 */
const LOST_MS = 20_000;

/** Everything a run works with; `main` puts it together. */
export interface Run {
  readonly spec: RunSpec;
  readonly identity: RunIdentity;
  readonly plan: () => readonly PlannedStep[];
  readonly cluster: Cluster;
  readonly commands: Commands;
  readonly http: Http;
  readonly clock: Clock;
  readonly logFor: LogFor;
  readonly mask: (secret: string) => void;
  readonly announce: (event: RunEvent) => void;
  readonly recorder: RunRecorder;
  readonly lock: Lock;
  readonly abort: AbortController;
  /** What the run has learned; `main` and the ports read it. */
  readonly learned: Learned;
}

/** Facts that are known only once the Job is read. */
export interface Learned {
  observation: Observation | null;
  /** When the run stops itself; null: never, or not known yet. */
  deadline: Date | null;
  /** From a stop until the pod is killed, by what stops the run, in milliseconds. */
  leftMs: { signal: number; deadline: number };
}

/**
 * Takes a run from its beginning to its end: observe, plan, one step at a time.
 * @returns how it ended; it does not reject
 */
export async function runPipeline(run: Run): Promise<RunEnd> {
  const log = run.logFor('run');
  const lastLines: string[] = [];
  let disarm = (): void => {};
  try {
    const { signal } = run.abort;
    const observation = await observe(
      { cluster: run.cluster, clock: run.clock, log },
      run.spec,
      run.identity,
      signal,
    );
    run.learned.observation = observation;
    disarm = armDeadline(run, observation);
    checkDisruptions(observation);

    const steps = run.plan();
    run.recorder.planned(steps);
    await foresee(steps, contextOf(run, log));
    await run.lock.acquire(observation.job, signal);
    await removePredecessors({ cluster: run.cluster, log, name: run.identity.job }, observation.job, signal);
    run.announce(startEvent(run.spec, observation, run.identity));
    const ends: StepEnd[] = [];
    for (const step of steps) {
      signal.throwIfAborted();
      lastLines.length = 0;
      ends.push({ step: step.name, outcome: await takeStep(run, step, lastLines) });
    }
    const late = lateFailure(ends);
    if (late !== null) {
      throw late;
    }
    return endOfSuccess(run.spec, ends);
  } catch (thrown) {
    const error = reasonOf(thrown, run.abort.signal);
    if (error.code === 'Internal' && error.cause instanceof Error) {
      log.error(error.cause.stack ?? error.cause.message);
    }
    return endOfFailure(run.spec, error, lastLines);
  } finally {
    disarm();
  }
}

function startEvent(
  { aicr, criteria, deploy }: RunSpec,
  { attempt }: Observation,
  { pod }: RunIdentity,
): RunEvent {
  const { service, accelerator, intent, os, platform } = criteria;
  const asked = Object.entries({ service, accelerator, intent, os, platform })
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${value}`);
  const what = `aicr ${aicr.version} for ${asked.length === 0 ? "the data pack's criteria" : asked.join(' ')}`;
  const does = deploy.enabled ? 'installs' : 'validates the cluster against';
  return { type: 'Normal', reason: 'Started', message: `pod ${pod} ${does} ${what}, attempt ${attempt}` };
}

/** Starts the run's own deadline and writes down what was observed. */
function armDeadline(run: Run, { job, attempt }: Observation): () => void {
  const { recorder, learned, abort } = run;
  const deadline = job === null ? null : deadlineOf(job, new Date(recorder.status().startedAt));
  recorder.observed({ jobUid: job?.uid ?? '', attempt, deadlineAt: deadline?.at.toISOString() ?? '' });
  if (job !== null) {
    learned.leftMs.signal = job.graceSeconds * 1000;
  }
  if (deadline === null) {
    return () => {};
  }
  learned.deadline = deadline.at;
  learned.leftMs.deadline = deadline.marginMs;
  return alarmAt(deadline.at, run.clock.now, () => {
    abort.abort(
      new RunError(
        'DeadlineExceeded',
        `the run's deadline came ${position(recorder.status())} (job.activeDeadlineSeconds is ${job?.activeDeadlineSeconds})`,
        {
          hint: 'See in the last lines what it was waiting for; if it only needs longer, raise job.activeDeadlineSeconds.',
        },
      ),
    );
  });
}

function contextOf(run: Run, log: Log): StepContext {
  const { commands, cluster, http, clock, identity, mask, recorder: status, abort, learned } = run;
  return {
    commands,
    cluster,
    http,
    clock,
    run: identity,
    earlier: learned.observation?.earlier ?? null,
    log,
    status,
    signal: abort.signal,
    deadline: learned.deadline,
    mask,
  };
}

async function takeStep(run: Run, step: PlannedStep, lastLines: string[]): Promise<StepOutcome> {
  const { recorder } = run;
  const { signal } = run.abort;
  const log = rememberLines(run.logFor(step.name), lastLines);
  log.info(step.does);
  recorder.stepStarted(step.name);
  try {
    const outcome = await orAbandon(runStep(step, contextOf(run, log)), run);
    const failed = outcome.failsRun !== undefined;
    (failed ? log.error : log.info)(outcome.message);
    recorder.stepEnded(step.name, failed ? 'Failed' : 'Succeeded', outcome.message);
    return outcome;
  } catch (thrown) {
    const error = reasonOf(thrown, signal);
    log.error(error.message);
    recorder.stepEnded(step.name, signal.aborted ? 'Interrupted' : 'Failed', error.message);
    throw thrown;
  }
}

/** A log that also keeps the last lines of the step's child. */
function rememberLines(log: Log, lastLines: string[]): Log {
  return {
    ...log,
    child: (line) => {
      lastLines.push(line);
      if (lastLines.length > LAST_LINES) {
        lastLines.shift();
      }
      log.child(line);
    },
  };
}

/** Waits for a step; one that does not come back after an abort is given up, so that the run can still say why. */
async function orAbandon<T>(step: Promise<T>, { abort, clock, learned }: Run): Promise<T> {
  const { signal } = abort;
  const returned = new AbortController();
  const abandoned = new Promise<never>((_, reject) => {
    const onAbort = async (): Promise<void> => {
      const leftMs = leftMsOf(learned, signal);
      await clock.sleep(stopGraceMs(leftMs) + returnMs(leftMs), returned.signal).then(
        () => reject(signal.reason),
        () => {},
      );
    };
    signal.addEventListener('abort', onAbort, { once: true, signal: returned.signal });
    if (signal.aborted) {
      void onAbort();
    }
  });
  try {
    return await Promise.race([step, abandoned]);
  } finally {
    returned.abort();
  }
}

/** From the stop until the pod is killed, in milliseconds. */
export function leftMsOf({ leftMs }: Learned, signal: AbortSignal): number {
  const code = signal.reason instanceof RunError ? signal.reason.code : '';
  return code === 'DeadlineExceeded'
    ? leftMs.deadline
    : code === 'LockLost'
      ? Math.min(leftMs.signal, LOST_MS)
      : leftMs.signal;
}
