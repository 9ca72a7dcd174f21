export {
  type ApiServer,
  type ApiServerConnection,
  serviceAccountToken,
  startApiServer,
} from './apiserver.ts';
export { cachePath } from './cache.ts';
export type { Cluster, Connection, RunOptions, RunResult } from './cluster.ts';
export { ensureCrds } from './crds.ts';
export { openCluster } from './handle.ts';
export type { ClusterImages } from './images.ts';
export { type Fault, Mirror, type SeenRequest } from './mirror.ts';
export { stopDaemon } from './outage.ts';
export { dockerConfig, type Registry, type RegistryOptions } from './registry.ts';
export { prepareCluster, type StartOptions, startCluster } from './start.ts';
export { tearDown, tearDownAbandoned } from './teardown.ts';
export { ensureTools, helmPath, type Report, type ToolName, toolPath } from './tools.ts';
