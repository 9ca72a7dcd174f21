import type { Cluster } from './cluster.ts';
import { COMPONENT_TOOLS, startComponents } from './components.ts';
import { makeHandle } from './handle.ts';
import { dockerAnswers, KIND_TOOLS, startKind } from './kind.ts';
import { tieToThisProcess } from './lifetime.ts';
import { canInstallPackages, ensurePackages } from './packages.ts';
import { ensureRegistry } from './registry.ts';
import { createState, writeState } from './state.ts';
import { ensureTools, type Report, reportToStderr } from './tools.ts';

/** How a cluster is started. */
export interface StartOptions {
  /** Told about progress, one line a step. */
  report?: Report;
}

/**
 * Installs and builds what a cluster here is made of; `startCluster` does it too. Slow the first time.
 * @returns which kind of cluster this machine runs
 * @throws Error when the machine can run neither, saying what it would take
 */
export async function prepareCluster(report: Report = reportToStderr): Promise<'components' | 'kind'> {
  const kind = await chooseKind();
  if (canInstallPackages()) await ensurePackages(report);
  await ensureTools(['helm3', 'helm4', ...(kind === 'kind' ? KIND_TOOLS : COMPONENT_TOOLS)], report);
  await ensureRegistry(report);
  return kind;
}

/**
 * Starts a throwaway cluster of one node, with registries, a mirror and images. It is taken down when this process
 * ends, however it ends but for SIGKILL, unless it is told to `keep`; and after a failed start.
 */
export async function startCluster(options: StartOptions = {}): Promise<Cluster> {
  const report = options.report ?? reportToStderr;
  const kind = await prepareCluster(report);
  const { folder, state } = createState(kind);
  const lifetime = tieToThisProcess(folder);
  try {
    const start = kind === 'kind' ? startKind : startComponents;
    const connection = await start(folder, state.id, report);
    writeState(folder, { ...state, connection });
    return makeHandle(folder, state, connection, lifetime);
  } catch (error) {
    lifetime.stop();
    throw error;
  }
}

async function chooseKind(): Promise<'components' | 'kind'> {
  if (process.platform !== 'linux') throw new Error('the test cluster runs on Linux only');
  if (await dockerAnswers()) return 'kind';
  if (canInstallPackages()) return 'components';
  throw new Error(
    'a test cluster needs a Docker daemon that answers `docker info`, or Debian or Ubuntu and root ' +
      '(it installs packages and makes network namespaces): try again with sudo',
  );
}
