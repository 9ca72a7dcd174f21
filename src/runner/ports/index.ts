export { type ClusterOptions, createCluster } from './api-cluster.ts';
export { type ChildOptions, createCommands } from './child-commands.ts';
export type { Clock } from './clock.ts';
export type {
  Cluster,
  ConfigMapContent,
  JobFacts,
  ReleaseJob,
  RunEvent,
  RunIdentity,
  StoredConfigMap,
} from './cluster.ts';
export type { Command, CommandResult, Commands } from './commands.ts';
export type { Http, HttpResponse } from './http.ts';
export type { Lease, Leases, PodState } from './lease.ts';
export { createHttp, shownUrl } from './node-http.ts';
export type { LeftoverKind, ObjectMetadata, Records, SecretChange, StoredSecret } from './records.ts';
export { podServiceAccount, type ServiceAccount } from './service-account.ts';
export { createClock } from './system-clock.ts';
export { codeOf, cutBytes, messageOf } from './text.ts';
