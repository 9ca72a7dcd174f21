import {
  FIELD_MANAGER,
  RunError,
  type RunStatus,
  runFieldManager,
  runStatusKey,
  STATUS_KEYS,
} from '../../contract/index.ts';
import type { Log } from '../log.ts';
import { type Clock, type Cluster, messageOf } from '../ports/index.ts';

/** Changes that are not urgent are written together, at most this often. */
const THROTTLE_MS = 2000;

/** How long a write that is under way at the end may still take. */
const IN_FLIGHT_MS = 5000;

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

/** How often a refusal at the end is taken for one that may pass (rights that are just being given). */
const MOST_REFUSALS = 3;

/** Documents of a release's runs that are kept, with this run's. */
const KEPT_RUNS = 5;

export interface WriterOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly log: Log;
  readonly configMap: string;
  readonly namespace: string;
  readonly job: string;
  /** The document as it may be shown. */
  readonly status: () => RunStatus;
  readonly summary: (status: RunStatus) => string;
  /** Whether the shared keys are this run's to write. */
  readonly ownsShared: (signal: AbortSignal) => Promise<boolean>;
}

/** Writes the status document in the background; a write that fails never fails the run. */
export interface StatusWriter {
  /** Tells that the document has changed. */
  changed(urgent: boolean): void;
  /**
   * Writes the last state of the document and stops.
   * @param timeoutMs how long it is tried
   * @param refusalIsFinal gives up at once when the API server refuses: after an uninstall the rights are gone
   * @returns whether it is written
   */
  close(timeoutMs: number, refusalIsFinal: boolean): Promise<boolean>;
}

/** A writer for releases without a status ConfigMap. */
export const noWriter: StatusWriter = { changed: () => {}, close: async () => true };

export function createStatusWriter(options: WriterOptions): StatusWriter {
  const { clock, log } = options;
  // Ends the waiting and further tries; a write under way goes on, or it could arrive after the last one.
  const background = new AbortController();
  const calls = new AbortController();
  let dirty = false;
  let urgent = false;
  let wake = new AbortController();
  let running: Promise<void> | null = null;
  let failing = false;
  let pruned = false;

  const writeOnce = async (signal: AbortSignal): Promise<void> => {
    dirty = false;
    urgent = false;
    try {
      await write(options, signal);
      if (failing) {
        log.info('the status document is written again');
        failing = false;
      }
    } catch (error) {
      dirty = true;
      throw error;
    }
    if (!pruned) {
      pruned = true;
      await prune(options, signal);
    }
  };

  /** Waits, but not longer than until the next urgent change. */
  const rest = async (milliseconds: number): Promise<void> => {
    wake = new AbortController();
    await clock.sleep(milliseconds, AbortSignal.any([wake.signal, background.signal])).catch(() => {});
  };

  const loop = async (): Promise<void> => {
    let pause = FIRST_PAUSE_MS;
    while (dirty && !background.signal.aborted) {
      try {
        await writeOnce(calls.signal);
        pause = FIRST_PAUSE_MS;
        if (!urgent) {
          await rest(THROTTLE_MS);
        }
      } catch (error) {
        if (!failing && !background.signal.aborted) {
          log.warn(
            `the status document cannot be written, which is tried again in the background: ${messageOf(error)}`,
          );
          failing = true;
        }
        await clock.sleep(pause, background.signal).catch(() => {});
        pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
      }
    }
    running = null;
  };

  return {
    changed: (isUrgent) => {
      if (background.signal.aborted) {
        return;
      }
      dirty = true;
      if (isUrgent) {
        urgent = true;
        wake.abort();
      }
      running ??= loop();
    },

    close: async (timeoutMs, refusalIsFinal) => {
      background.abort(new Error('the run ends'));
      const late = setTimeout(
        () => calls.abort(new Error('the run ends')),
        Math.min(IN_FLIGHT_MS, timeoutMs / 2),
      );
      await running;
      clearTimeout(late);
      const signal = AbortSignal.timeout(timeoutMs);
      let pause = FIRST_PAUSE_MS;
      let refusals = 0;
      for (;;) {
        try {
          await writeOnce(signal);
          return true;
        } catch (error) {
          refusals += error instanceof RunError && !error.transient ? 1 : 0;
          if (signal.aborted || refusals === (refusalIsFinal ? 1 : MOST_REFUSALS)) {
            log.warn(`the status document could not be written: ${messageOf(error)}`);
            return false;
          }
        }
        await clock.sleep(pause, signal).catch(() => {});
        pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
      }
    },
  };
}

/** Writes the run's own key, and the shared ones when they are this run's. */
async function write(options: WriterOptions, signal: AbortSignal): Promise<void> {
  const { cluster, configMap, namespace, job } = options;
  const status = options.status();
  const text = `${JSON.stringify(status, null, 2)}\n`;
  const target = { name: configMap, namespace };
  await cluster.applyConfigMap(
    { ...target, data: { [runStatusKey(job)]: text } },
    runFieldManager(job),
    signal,
  );
  if (await options.ownsShared(signal)) {
    const data = { [STATUS_KEYS.status]: text, [STATUS_KEYS.summary]: options.summary(status) };
    await cluster.applyConfigMap({ ...target, data }, FIELD_MANAGER, signal);
  }
}

/** Removes the documents of the runs before the last few: an apply of nothing by the manager that wrote one. */
async function prune(options: WriterOptions, signal: AbortSignal): Promise<void> {
  const { cluster, configMap, namespace, job, log } = options;
  try {
    const found = await cluster.readConfigMap(configMap, signal);
    const others = Object.entries(found?.data ?? {})
      .filter(([key]) => key.endsWith('.json') && key !== STATUS_KEYS.status && key !== runStatusKey(job))
      .map(([key, text]) => ({ job: key.slice(0, -'.json'.length), startedAt: startOf(text) }))
      .sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
    for (const old of others.slice(KEPT_RUNS - 1)) {
      await cluster.applyConfigMap({ name: configMap, namespace }, runFieldManager(old.job), signal);
    }
  } catch (error) {
    if (!signal.aborted) {
      log.warn(
        `documents of older runs could not be removed from ConfigMap ${configMap}: ${messageOf(error)}`,
      );
    }
  }
}

/** When a run began, by its document; one that cannot be read counts as the oldest. */
function startOf(text: string): string {
  try {
    const { startedAt } = JSON.parse(text) as { startedAt?: unknown };
    return typeof startedAt === 'string' ? startedAt : '';
  } catch {
    return '';
  }
}
