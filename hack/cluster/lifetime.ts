import { tearDown } from './teardown.ts';

const owned = new Set<string>();
let installed = false;

/**
 * Ties a cluster to this process: however the process ends (but for SIGKILL; see `tearDownAbandoned`), the cluster
 * goes first.
 * @param folder the cluster's folder
 * @returns stops the cluster now; its `keep` unties it instead
 */
export function stopWithThisProcess(folder: string): (() => void) & { keep: () => void } {
  install();
  owned.add(folder);
  const stop = (): void => {
    owned.delete(folder);
    tearDown(folder);
  };
  return Object.assign(stop, { keep: () => void owned.delete(folder) });
}

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
