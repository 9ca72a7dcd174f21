import { forgetRuns, type Installed } from './chart.ts';
import { expectExit, makePod, startProgram } from './pod.ts';

/** What a chart's hooks, or helm with --debug, may print by the thousand. */
const LINE = 'configmap/example-configuration-of-a-component serverside-applied in namespace gpu-operator';

/**
 * Runs the installer while the script in place of deploy.sh prints.
 * @param folder where the pod's root is made
 * @param megabytes how much it prints
 * @returns the most memory that node had, in MB
 */
export async function printThrough(folder: string, installed: Installed, megabytes: number): Promise<number> {
  await forgetRuns(installed);
  const pod = await makePod(folder, installed, `yes '${LINE}' | head -c ${megabytes}000000`);
  const end = await startProgram(pod, 'runner.mjs').ended;
  expectExit(end, 0);
  return end.peakMB;
}
