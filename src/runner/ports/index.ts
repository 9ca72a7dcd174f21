export type { Clock } from './clock.ts';
export type { Cluster, ConfigMapContent, JobFacts, RunEvent } from './cluster.ts';
export type { Command, CommandResult, Commands } from './commands.ts';
export type { Http, HttpResponse } from './http.ts';
