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
  process.on('exit', () => {
    for (const folder of owned) {
      try {
        tearDown(folder);
      } catch (error) {
        // Told, and no reason to leave the next one behind.
        process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
        process.exitCode = 1;
      }
    }
  });
  // By default a signal ends Node without the event above.
  for (const [signal, number] of [
    ['SIGHUP', 1],
    ['SIGINT', 2],
    ['SIGTERM', 15],
  ] as const) {
    process.once(signal, () => process.exit(128 + number));
  }
}
