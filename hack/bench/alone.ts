import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from '../bundle-runner.ts';
import type { Installed } from './chart.ts';
import { expectExit, makePod, startProgram } from './pod.ts';

const PROGRAM = 'steps.mjs';

/** The installer's steps without a cluster, bundled as the installer is. */
export const bundleSteps = (): Promise<Uint8Array> =>
  bundle(fileURLToPath(new URL('./steps.ts', import.meta.url)));

/**
 * Takes once the steps of the same run that need no cluster.
 * @param folder where the pod's root is made
 * @param program what `bundleSteps` gave
 * @returns milliseconds from the start of the program to its end
 */
export async function runAlone(folder: string, installed: Installed, program: Uint8Array): Promise<number> {
  const pod = await makePod(folder, installed, '');
  await writeFile(join(pod.root, 'runner', PROGRAM), program);
  const { startedAt, ended } = startProgram(pod, PROGRAM);
  const end = await ended;
  expectExit(end, 0);
  return end.endedAt - startedAt;
}
