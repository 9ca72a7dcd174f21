import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Connection } from './cluster.ts';
import type { Daemons } from './daemons.ts';
import { accepts, freePorts } from './ports.ts';
import { startRegistry } from './registry.ts';

/** What every cluster finds on this machine beside itself. */
export type Services = Pick<Connection, 'registry' | 'openRegistry' | 'mirrorRoot' | 'mirrorUrl'>;

/**
 * Starts the two registries and the mirror.
 * @param folder the cluster's folder
 * @param address the address of this machine that pods reach
 */
export async function startServices(folder: string, daemons: Daemons, address: string): Promise<Services> {
  const [registry, openRegistry, mirror] = await Promise.all([
    startRegistry(folder, daemons, address, { name: 'private', login: true, tls: false }),
    startRegistry(folder, daemons, address, { name: 'open', login: false, tls: false }),
    startMirror(folder, daemons, address),
  ]);
  return { registry: registry as Services['registry'], openRegistry, ...mirror };
}

/** In a process of its own: a kept cluster outlives its starter, and so must its mirror. */
async function startMirror(folder: string, daemons: Daemons, address: string) {
  const mirrorRoot = join(folder, 'mirror');
  mkdirSync(mirrorRoot);
  const [port = 0] = await freePorts(address, 1);
  const program = fileURLToPath(new URL('mirror.ts', import.meta.url));
  // vitest's own loader, by which a suite's set-up comes here, has no import.meta.resolve.
  const loader = createRequire(import.meta.url).resolve('tsx');
  const argv = [process.execPath, '--import', loader, program, mirrorRoot, address, String(port)];
  daemons.start('mirror', argv);
  await daemons.ready('mirror', async () => await accepts(address, port));
  return { mirrorRoot, mirrorUrl: `http://${address}:${port}` };
}
