import type { ComponentStatus, ResultRef, RunStatus } from '../contract/index.ts';
import type { Log } from './log.ts';
import type { Clock, Cluster, Commands, Http, RunIdentity } from './ports/index.ts';

/** What a step may change in the status document; the pipeline owns everything else. */
export interface StatusRecorder {
  /** Merges facts into the document. Written to the cluster with the next write, within seconds. */
  note(
    facts: Partial<
      Pick<RunStatus, 'aicr' | 'pack' | 'bundle' | 'recipe' | 'upgradeCheck' | 'validation' | 'evidence'>
    >,
  ): void;
  /** Adds a component, or replaces the one of the same index. */
  component(component: ComponentStatus): void;
  /** Adds a warning once; it is logged, too. */
  warn(message: string): void;
  /** Lists a ConfigMap that the run wrote; of one that was written twice the last word counts. */
  result(result: ResultRef): void;
  /** Says in phase, message, log and Event that the run waits for a Secret, and that it has it. */
  waitingForSecret(message: string): Promise<void>;
  secretLanded(message: string): Promise<void>;
  /** Counts another attempt of the running step, with why the last one failed. */
  retrying(reason: string): void;
}

/** What every step gets beside its own plan. */
export interface StepContext {
  readonly commands: Commands;
  readonly cluster: Cluster;
  readonly http: Http;
  readonly clock: Clock;
  readonly run: RunIdentity;
  /** What the attempt before this one, of the same Job, wrote last; null for a first attempt, or when it is not known. */
  readonly earlier: RunStatus | null;
  readonly log: Log;
  readonly status: StatusRecorder;
  /** Aborts on SIGTERM (reason: RunError `Interrupted`) and at the run's own deadline (RunError `DeadlineExceeded`). */
  readonly signal: AbortSignal;
  /** When the run stops itself; null: never. */
  readonly deadline: Date | null;
  /** Makes a text secret: it is shown as *** from now on, in log, status, Events and termination message. */
  readonly mask: (secret: string) => void;
}
