import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ASSIGNMENT, type Assignment } from '../worker/protocol.ts';
import { BACKWARDS } from '../worker/sequencer.ts';
import { SETUP, type VitestSetup } from '../worker/setup.ts';
import { Handout, type Work } from './handout.ts';

const vitest = fileURLToPath(import.meta.resolve('vitest/package.json')).replace(
  /package\.json$/,
  'vitest.mjs',
);
const config = fileURLToPath(new URL('../worker/vitest.config.ts', import.meta.url));

/** What the workers are given besides their work. */
export interface Tools {
  readonly assignment: Omit<Assignment, 'socket' | 'suite'>;
  readonly setup: VitestSetup;
}

/**
 * Lets workers judge mutants: each is a vitest process that runs the suite once and then stays.
 * @throws Error when the suite fails without a mutant, or a worker ends too early
 */
export const judgeMutants = async (work: Work, tools: Tools): Promise<void> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'nvidia-aicr-mutants-'));
  const socket = path.join(folder, 'socket');
  const assignment = path.join(folder, 'assignment.json');
  const full: Assignment = { ...tools.assignment, socket, suite: tools.setup.include.length };
  writeFileSync(assignment, JSON.stringify(full));
  const handout = new Handout(work);
  const server = createServer();
  const children: Worker[] = [];
  const stop = (): void => {
    for (const child of children) child.stop();
  };
  process.once('exit', stop);
  try {
    const failed = new Promise<never>((_, reject) => {
      server.on('connection', (connection) => handout.serve(connection).catch(reject));
    });
    server.listen(socket);
    await once(server, 'listening');
    // What the suite leaves behind when it is stopped goes with the folder.
    const env = { [ASSIGNMENT]: assignment, [SETUP]: JSON.stringify(tools.setup), TMPDIR: folder };
    for (let index = 0; index < work.count; index += 1) {
      const direction = index % 2 === 0 ? {} : { [BACKWARDS]: 'yes' };
      children.push(new Worker({ ...env, ...direction }, tools.setup.root));
    }
    await Promise.race([failed, Promise.all(children.map((child) => child.ended()))]);
    if (!handout.isEmpty()) throw new Error('the workers ended before all mutants were judged');
  } finally {
    stop();
    process.off('exit', stop);
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

/** One vitest process. Its output is only shown when it fails. */
class Worker {
  readonly #child: ChildProcess;
  #output = '';

  constructor(env: Readonly<Record<string, string>>, root: string) {
    this.#child = spawn(process.execPath, [vitest, 'run', '--config', config], {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group of its own: vitest's own child and the renderer end with it.
      detached: true,
    });
    const keep = (chunk: Buffer): void => {
      this.#output = (this.#output + chunk.toString()).slice(-20_000);
    };
    this.#child.stdout?.on('data', keep);
    this.#child.stderr?.on('data', keep);
  }

  async ended(): Promise<void> {
    const [code, signal] = (await once(this.#child, 'exit')) as [number | null, string | null];
    if (code === 0) return;
    throw new Error(`a worker ended with ${signal ?? `exit code ${code}`}:\n${this.#output.trim()}`);
  }

  stop(): void {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It has just ended by itself.
    }
  }
}
