import { setTimeout as delay } from 'node:timers/promises';
import { EXIT_CODES } from '../../src/contract/index.ts';
import { forgetRuns, type Installed } from './chart.ts';
import { deployStart, expectExit, makePod, startProgram } from './pod.ts';

/** In place of deploy.sh: ends at once when it is asked to. */
export const WILLING = 'exec sleep 3600';

/** In place of deploy.sh: does not end when it is asked to. */
export const STUBBORN = "trap '' TERM\nwhile :; do sleep 1; done";

/**
 * Stops a run by SIGTERM to the installer alone, as the kubelet does, while the script in place of deploy.sh runs.
 * @param folder where the pod's root is made
 * @param script what is stopped
 * @returns milliseconds from SIGTERM to the end of the installer
 */
export async function stopInstaller(folder: string, installed: Installed, script: string): Promise<number> {
  await forgetRuns(installed);
  const pod = await makePod(folder, installed, script);
  const { pid, ended } = startProgram(pod, 'runner.mjs');
  let over = false;
  void ended.then(() => {
    over = true;
  });
  while ((await deployStart(pod)) === null && !over) await delay(20);
  // A trap is set right after the note is made.
  await delay(500);
  const stoppedAt = Date.now();
  if (!over) process.kill(pid, 'SIGTERM');
  const end = await ended;
  expectExit(end, EXIT_CODES.Interrupted);
  return end.endedAt - stoppedAt;
}
