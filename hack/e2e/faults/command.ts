import { fileURLToPath } from 'node:url';
import type { Scenario } from '../scenario.ts';

/** The command, as `npm run build` has made it. */
const COMMAND = fileURLToPath(new URL('../../../dist/cli.mjs', import.meta.url));

/** What `nvidia-aicr-chart status` says of the scenario's release. */
export async function askStatus({ cluster, namespace }: Scenario): Promise<string> {
  const argv = [process.execPath, COMMAND, 'status', 'aicr', '--namespace', namespace.name];
  return (await cluster.run(argv, { reject: false })).all;
}
