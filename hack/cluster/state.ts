import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Connection } from './cluster.ts';
import { identify, isAlive, type ProcessIdentity } from './processes.ts';

/** What a cluster's folder says about it, enough to take it down from another process. */
export interface ClusterState {
  kind: 'components' | 'kind' | 'apiserver';
  /** Short and unique on this machine; part of the names of the namespace, the interface and the control groups. */
  id: string;
  /** The process that started it and will stop it; absent when it is kept. */
  owner?: ProcessIdentity;
  /** Filled once it runs: what `openCluster` gives out. */
  connection?: Connection;
}

const PREFIX = 'aicr-cluster-';
const FILE = 'cluster.json';

/**
 * Makes the folder of a new cluster, before anything of the cluster exists.
 * @param kind how it will be run
 * @returns the folder's path, and the state, which names this process as its owner
 */
export function createState(kind: ClusterState['kind']): { folder: string; state: ClusterState } {
  const folder = mkdtempSync(join(tmpdir(), PREFIX));
  const owner = identify(process.pid);
  const state: ClusterState = { kind, id: basename(folder).slice(PREFIX.length), ...(owner && { owner }) };
  writeState(folder, state);
  return { folder, state };
}

/** Writes a cluster's state in one step. */
export function writeState(folder: string, state: ClusterState): void {
  const file = join(folder, FILE);
  writeFileSync(`${file}.new`, JSON.stringify(state, null, 2), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/**
 * Reads a cluster's state.
 * @param folder a cluster's folder
 * @throws Error when there is no cluster in it
 */
export function readState(folder: string): ClusterState {
  try {
    return JSON.parse(readFileSync(join(folder, FILE), 'utf8')) as ClusterState;
  } catch {
    throw new Error(`${folder} is not the folder of a test cluster (no readable ${FILE} in it)`);
  }
}

/** Folders of every cluster on this machine. */
export function listClusters(): string[] {
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith(PREFIX));
  return folders.map((name) => join(tmpdir(), name)).filter((folder) => existsSync(join(folder, FILE)));
}

/**
 * Who looks after a cluster: the process that will stop it, a process that ended without doing so, nobody because it
 * is kept; or the cluster is gone meanwhile.
 */
export function caretaker(folder: string): 'living' | 'dead' | 'nobody' | 'gone' {
  try {
    const { owner } = readState(folder);
    if (owner === undefined) return 'nobody';
    return isAlive(owner) ? 'living' : 'dead';
  } catch {
    return 'gone';
  }
}
