import { forgetRuns, type Installed } from './chart.ts';
import { deployStart, expectExit, makePod, startProgram } from './pod.ts';

/** Figures of one run. */
export interface Figures {
  /** Milliseconds from the start of the main container's program to the start of deploy.sh. */
  readonly untilDeploy: number;
  /** Milliseconds from the start of the main container's program to its end; deploy.sh takes none of them. */
  readonly whole: number;
  /** Most memory that node had, in MB. */
  readonly peakMB: number;
  /** Milliseconds of the init container that hands node and the program over. */
  readonly handover: number;
}

/**
 * Does once what the pod does: the init container's handover, then the main container's program.
 * @param folder where the pod's root is made
 */
export async function runInstaller(folder: string, installed: Installed): Promise<Figures> {
  await forgetRuns(installed);
  const pod = await makePod(folder, installed, '');
  const { startedAt, ended } = startProgram(pod, 'runner.mjs');
  const end = await ended;
  // deploy.sh said nothing at all, which the installer lets pass with a warning.
  expectExit(end, 0);
  const deployAt = (await deployStart(pod)) ?? Number.NaN;
  return {
    untilDeploy: deployAt - startedAt,
    whole: end.endedAt - startedAt,
    peakMB: end.peakMB,
    handover: pod.handover,
  };
}
