import { join } from 'node:path';
import { RunError } from '../../contract/index.ts';
import type { PodPaths } from '../paths.ts';

/** What a plan needs to know of the pod it runs in. */
export interface Host {
  readonly arch: 'amd64' | 'arm64';
  /** The only writable folder. */
  readonly work: string;
  /** Where the Secrets are mounted whole. */
  readonly packAuthDir: string;
  readonly publishAuthDir: string;
  readonly identityTokenDir: string;
  /** The `oras` that the init container handed over. */
  readonly oras: string;
}

/**
 * Describes the pod the runner is in.
 * @param processArch `process.arch`
 * @param paths the contract's paths as this process sees them
 * @throws RunError `BinaryNotRunnable` on a CPU kind for which aicr is not released
 */
export function podHost(processArch: string, paths: PodPaths): Host {
  const arch = processArch === 'x64' ? 'amd64' : processArch === 'arm64' ? 'arm64' : null;
  if (arch === null) {
    throw new RunError(
      'BinaryNotRunnable',
      `aicr is not released for this node's CPU kind (${processArch})`,
      {
        hint: 'Let the installer run on an amd64 or arm64 node: job.nodeSelector with kubernetes.io/arch.',
      },
    );
  }
  const { workDir: work, packAuthDir, publishAuthDir, identityTokenDir } = paths;
  const oras = join(paths.runnerDir, 'oras');
  return { arch, work, packAuthDir, publishAuthDir, identityTokenDir, oras };
}
