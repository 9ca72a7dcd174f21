import type { InstallJob } from './job.ts';
import type { ChartRelease } from './release.ts';
import { type Scenario, WAITING } from './scenario.ts';

/** Installs the slow component, and comes back while deploy.sh installs it. */
export async function installSlowly(
  scenario: Scenario,
): Promise<{ release: ChartRelease; values: object; job: InstallJob }> {
  const pack = await scenario.pack('acme-slow');
  await scenario.packSecret();
  const release = scenario.release();
  const values = { ...pack.values, ...WAITING };
  await release.install(values);
  const job = await release.job();
  await release.statusWhen('a component is being installed', ({ components }) => components.length === 1);
  return { release, values, job };
}
