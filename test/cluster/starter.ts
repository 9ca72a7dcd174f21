/** Starts a cluster and keeps it until something ends this process. Run by lifetime.test.ts. */
import { startCluster } from '../../hack/cluster/index.ts';

await startCluster();
process.stdout.write('running\n');
setInterval(() => undefined, 60_000);
