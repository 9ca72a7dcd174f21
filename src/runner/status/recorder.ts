import type { ReasonCode, RunStatus, StepName, StepStatus } from '../../contract/index.ts';
import type { StatusRecorder } from '../context.ts';
import type { LockStatus } from '../lock/index.ts';
import type { Log } from '../log.ts';
import type { PlannedStep } from '../planned.ts';
import type { Clock, RunEvent } from '../ports/index.ts';
import { pendingStep } from './document.ts';

/** Warnings that become Events; the rest is in status and log. */
const MOST_WARNING_EVENTS = 10;

/** How a run ended. */
export interface RunEnd {
  readonly phase: 'Succeeded' | 'SucceededWithFailures' | 'Failed' | 'Interrupted';
  readonly reason: ReasonCode | '';
  readonly message: string;
  readonly hint: string;
  readonly logTail: readonly string[];
  readonly rerun: string;
}

/** The recorder as the pipeline sees it: steps see {@link StatusRecorder} alone. */
export interface RunRecorder extends StatusRecorder, LockStatus {
  /** The document as it stands. */
  status(): RunStatus;
  /** What the run found out about itself before its first step. */
  observed(facts: { readonly jobUid: string; readonly attempt: number; readonly deadlineAt: string }): void;
  planned(steps: readonly PlannedStep[]): void;
  stepStarted(name: StepName): void;
  stepEnded(name: StepName, state: 'Succeeded' | 'Failed' | 'Interrupted', message: string): void;
  finished(end: RunEnd): void;
}

export interface RecorderOptions {
  readonly status: RunStatus;
  readonly clock: Clock;
  readonly log: Log;
  readonly announce: (event: RunEvent) => void;
  /** Told after each change; urgent ones are worth a write at once. */
  readonly changed: (urgent: boolean) => void;
}

/** Keeps the status document of a run. */
export function createRecorder(options: RecorderOptions): RunRecorder {
  const { clock, log, announce, changed } = options;
  let status = options.status;
  let warningEvents = 0;

  const update = (change: Partial<RunStatus>, urgent: boolean): void => {
    status = { ...status, ...change, updatedAt: clock.now().toISOString() };
    changed(urgent);
  };
  const updateStep = (
    matches: (step: StepStatus) => boolean,
    change: (step: StepStatus) => Partial<StepStatus>,
  ) => status.steps.map((step) => (matches(step) ? { ...step, ...change(step) } : step));

  return {
    status: () => status,

    note: (facts) => update(facts, false),

    component: (component) => {
      const others = status.components.filter(({ index }) => index !== component.index);
      const components = [...others, component].sort((a, b) => a.index - b.index);
      const message = `component ${component.index} of ${component.of}, ${component.name}: ${component.state}`;
      // Written at once: after a hard kill the next run knows by it what this one was in the middle of.
      update({ components, message }, component.state === 'Installing');
    },

    warn: (message) => {
      if (status.warnings.includes(message)) {
        return;
      }
      log.warn(message);
      update({ warnings: [...status.warnings, message] }, false);
      warningEvents += 1;
      if (warningEvents <= MOST_WARNING_EVENTS) {
        announce({ type: 'Warning', reason: 'Warning', message });
      }
    },

    result: (result) => {
      const others = status.results.filter(({ configMap }) => configMap !== result.configMap);
      update({ results: [...others, result] }, false);
    },

    waitingForSecret: async (message) => {
      if (status.phase !== 'WaitingForSecret' || status.message !== message) {
        log.info(message);
        announce({ type: 'Normal', reason: 'WaitingForSecret', message });
        update({ phase: 'WaitingForSecret', message }, true);
      }
    },

    secretLanded: async (message) => {
      log.info(message);
      announce({ type: 'Normal', reason: 'SecretLanded', message });
      update({ phase: 'Running', message }, true);
    },

    waitingForLock: (message) => {
      if (status.phase !== 'WaitingForLock' || status.message !== message) {
        log.info(message);
        announce({ type: 'Normal', reason: 'WaitingForLock', message });
        update({ phase: 'WaitingForLock', message }, true);
      }
    },

    lockTaken: (message) => {
      log.info(message);
      announce({ type: 'Normal', reason: 'LockTaken', message });
      update({ phase: 'Running', message }, true);
    },

    retrying: (reason) => {
      const steps = updateStep(
        ({ state }) => state === 'Running',
        ({ attempts }) => ({ attempts: attempts + 1, message: `trying again: ${reason}` }),
      );
      update({ steps, message: `trying again: ${reason}` }, false);
    },

    observed: ({ jobUid, attempt, deadlineAt }) =>
      update({ job: { ...status.job, uid: jobUid }, run: { ...status.run, attempt }, deadlineAt }, false),

    planned: (steps) => update({ phase: 'Running', steps: steps.map(pendingStep) }, false),

    stepStarted: (name) => {
      const startedAt = clock.now().toISOString();
      const step = (each: StepStatus): boolean => each.name === name;
      const does = status.steps.find(step)?.does ?? name;
      const steps = updateStep(step, () => ({ state: 'Running', attempts: 1, startedAt }));
      update({ phase: 'Running', message: does, steps }, true);
    },

    stepEnded: (name, state, message) => {
      const finishedAt = clock.now().toISOString();
      const steps = updateStep(
        (each) => each.name === name,
        () => ({ state, message, finishedAt }),
      );
      // What was being installed when the run was stopped is neither installed nor failed.
      const components = status.components.map((component) =>
        state === 'Interrupted' && component.state === 'Installing'
          ? { ...component, state: 'Interrupted' as const }
          : component,
      );
      update({ steps, components }, true);
    },

    finished: (end) =>
      update({ ...end, logTail: [...end.logTail], finishedAt: clock.now().toISOString() }, true),
  };
}
