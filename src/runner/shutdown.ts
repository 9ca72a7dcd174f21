import { RunError } from '../contract/index.ts';
import { asRunError } from './end.ts';

/**
 * Turns SIGTERM and SIGINT into an abort. As process 1 of its container the runner gets no default handling from the
 * kernel: without this it would ignore both and be killed at the end of the grace period. Only the first counts; a
 * second one does not cut short what the first began.
 * @param abort what to abort
 * @param where says where the run is
 */
export function abortOnSignals(abort: AbortController, where: () => string): void {
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => {
      if (!abort.signal.aborted) {
        abort.abort(interrupted(where(), name));
      }
    });
  }
}

/**
 * The run's end when its pod is asked to stop.
 * @param where says where the run is
 * @param how says how it was learned
 */
export const interrupted = (where: string, how: string): RunError =>
  new RunError('Interrupted', `interrupted ${where} (${how})`, {
    hint: 'If an upgrade replaced this run, the new one goes on by itself; if the pod was evicted, its replacement does. After an uninstall or a deletion by hand, run it again.',
  });

/**
 * Turns what nobody caught into an abort with reason `Internal`, so that the run still stops its children and says
 * why it ended. Only the first counts.
 */
export function abortOnFaults(abort: AbortController): void {
  const onFault = (error: unknown): void => {
    if (!abort.signal.aborted) {
      abort.abort(asRunError(error));
    }
  };
  process.on('uncaughtException', onFault);
  process.on('unhandledRejection', onFault);
}
