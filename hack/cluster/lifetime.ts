import { readState, writeState } from './state.ts';
import { tearDown } from './teardown.ts';

const owned = new Set<string>();
let installed = false;

/** How long a cluster runs. */
export interface Lifetime {
  /** Stops the cluster now. */
  stop(): void;
  /** Lets it run on when this process ends. */
  keep(): void;
}

/**
 * Ties a cluster to this process: however the process ends (but for SIGKILL; see `tearDownAbandoned`), the cluster
 * goes first.
 * @param folder the cluster's folder
 */
export function tieToThisProcess(folder: string): Lifetime {
  install();
  owned.add(folder);
  return {
    stop() {
      owned.delete(folder);
      tearDown(folder);
    },
    keep() {
      const { owner: _, ...unowned } = readState(folder);
      writeState(folder, unowned);
      owned.delete(folder);
    },
  };
}

/** For a cluster that another process started: stopping it is all this process may do. */
export const tieToNobody = (folder: string): Lifetime => ({
  stop: () => tearDown(folder),
  keep: () => undefined,
});

function install(): void {
  if (installed) return;
  installed = true;
  process.on('exit', stopAll);
  // By default a signal ends Node without the event above. The signal is raised again and not turned into an exit:
  // a test runner's worker forbids process.exit, and whoever waits for us shall see what ended us.
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
    const end = (): void => {
      stopAll();
      // Not before: a second signal meanwhile must not cut the cleaning short. All of them: with a listener left this
      // process would run on for a moment and start the next part of a cluster that is already gone.
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    };
    process.on(signal, end);
  }
}

function stopAll(): void {
  for (const folder of owned) {
    owned.delete(folder);
    try {
      tearDown(folder);
    } catch (error) {
      // Told, and no reason to leave the next one behind.
      process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
      process.exitCode = 1;
    }
  }
}
