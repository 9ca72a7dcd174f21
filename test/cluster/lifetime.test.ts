import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { execa, type ResultPromise } from 'execa';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  serviceAccountToken,
  startApiServer,
  tearDownAbandoned,
  toolPath,
} from '../../hack/cluster/index.ts';
import { findTraces } from './traces.ts';

const starter = fileURLToPath(new URL('starter.ts', import.meta.url));

describe('a cluster whose starter ends without stopping it', () => {
  let home: string;
  let starting: ResultPromise | undefined;

  beforeEach(() => {
    // A folder for temporary files of its own tells this cluster from everybody else's. Short: sockets lie in it.
    home = mkdtempSync('/tmp/life-');
    vi.stubEnv('TMPDIR', home);
  });

  afterEach(async () => {
    starting?.kill('SIGTERM');
    await starting;
    tearDownAbandoned();
    vi.unstubAllEnvs();
    rmSync(home, { recursive: true, force: true });
  });

  /** Starts a cluster in another process. @returns once there is a given file in the cluster's folder */
  async function startUntil(file: string) {
    const child = execa('node', ['--import', 'tsx', starter], { reject: false, all: true, stdin: 'ignore' });
    starting = child as ResultPromise;
    let ended = false;
    void child.then(() => (ended = true));
    for (;;) {
      const [name = ''] = readdirSync(home).filter((entry) => entry.startsWith('aicr-cluster-'));
      const folder = join(home, name);
      if (name !== '' && existsSync(join(folder, file))) return { child, folder };
      if (ended) throw new Error(`the starter ended before ${file}: ${(await child).all}`);
      await delay(20);
    }
  }

  it.each(['cluster.json', 'pids/containerd', 'admin.kubeconfig'])(
    'leaves nothing behind when SIGTERM comes at %s',
    async (file) => {
      const { child, folder } = await startUntil(file);
      expect(findTraces(folder)).not.toEqual([]);
      child.kill('SIGTERM');
      expect((await child).signal).toBe('SIGTERM');
      expect(findTraces(folder)).toEqual([]);
    },
  );

  it('is swept later when SIGKILL came', async () => {
    const { child, folder } = await startUntil('admin.kubeconfig');
    child.kill('SIGKILL');
    await child;
    expect(findTraces(folder)).not.toEqual([]);
    expect(tearDownAbandoned()).toEqual([folder]);
    expect(findTraces(folder)).toEqual([]);
  });
});

describe('an API server alone', () => {
  it('gives tokens that may do nothing by themselves, and leaves nothing behind', async () => {
    const server = await startApiServer();
    try {
      const kubectl = async (...args: string[]) =>
        await execa(toolPath('kubectl'), ['--kubeconfig', server.kubeconfig, ...args], {
          reject: false,
          all: true,
        });
      const token = await serviceAccountToken(server, 'demo', 'runner');
      expect((await kubectl('get', 'serviceaccount', 'runner', '-n', 'demo')).exitCode).toBe(0);
      expect((await kubectl('auth', 'whoami', '--token', token)).all).toContain('demo:runner');
      expect((await kubectl('get', 'pods', '--token', token)).all).toContain('forbidden');
    } finally {
      server.stop();
    }
    expect(findTraces(server.folder)).toEqual([]);
  });
});
