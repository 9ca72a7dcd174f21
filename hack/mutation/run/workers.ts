import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Mutant } from '../catalogue/index.ts';
import {
  ASSIGNMENT,
  type Assignment,
  type Baseline,
  type FromWorker,
  receive,
  send,
  type Verdict,
} from '../worker/protocol.ts';
import { SETUP, type VitestSetup } from '../worker/setup.ts';

const vitest = fileURLToPath(import.meta.resolve('vitest/package.json')).replace(
  /package\.json$/,
  'vitest.mjs',
);
const config = fileURLToPath(new URL('../worker/vitest.config.ts', import.meta.url));

/** What the workers are to do. */
export interface Work {
  readonly mutants: readonly Mutant[];
  /** Tests that killed a mutant in an earlier run, by its id. */
  readonly hints: ReadonlyMap<string, string>;
  readonly assignment: Omit<Assignment, 'socket' | 'suite'>;
  readonly setup: VitestSetup;
  /** How many work side by side. */
  readonly count: number;
  readonly onBaseline: (baseline: Baseline) => void;
  readonly onVerdict: (verdict: Verdict) => void;
}

/**
 * Lets workers judge mutants: each is a vitest process that runs the suite once and then stays.
 * @throws Error when the suite fails without a mutant, or a worker ends too early
 */
export const judgeMutants = async (work: Work): Promise<void> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'nvidia-aicr-mutants-'));
  const socket = path.join(folder, 'socket');
  const assignment = path.join(folder, 'assignment.json');
  const full: Assignment = { ...work.assignment, socket, suite: work.setup.include.length };
  writeFileSync(assignment, JSON.stringify(full));
  const queue = [...work.mutants];
  const server = createServer();
  const children: Worker[] = [];
  const stop = (): void => {
    for (const child of children) child.stop();
  };
  process.once('exit', stop);
  try {
    const failed = new Promise<never>((_, reject) => {
      server.on('connection', (connection) => serve(connection, queue, work).catch(reject));
    });
    server.listen(socket);
    await once(server, 'listening');
    for (let index = 0; index < work.count; index += 1) {
      children.push(
        new Worker({ [ASSIGNMENT]: assignment, [SETUP]: JSON.stringify(work.setup) }, work.setup.root),
      );
    }
    await Promise.race([failed, Promise.all(children.map((child) => child.ended()))]);
    if (queue.length > 0) throw new Error('the workers ended before all mutants were judged');
  } finally {
    stop();
    process.off('exit', stop);
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Hands mutants to one worker until there are none. */
const serve = async (connection: Socket, queue: Mutant[], work: Work): Promise<void> => {
  connection.on('error', () => undefined);
  let current: Mutant | undefined;
  const next = (): void => {
    current = queue.shift();
    if (current === undefined) send(connection, { type: 'end' });
    else send(connection, { type: 'mutant', mutant: current, hint: work.hints.get(current.id) });
  };
  for await (const message of receive<FromWorker>(connection)) {
    if (message.type === 'baseline') {
      checkBaseline(message);
      work.onBaseline(message);
    } else {
      work.onVerdict(message.verdict);
    }
    next();
  }
  if (current !== undefined)
    throw new Error(`a worker ended while it judged ${current.id} in ${current.file}`);
};

const checkBaseline = ({ failing, early, cases }: Baseline): void => {
  const list = (names: readonly string[]): string => names.map((name) => `\n  ${name}`).join('');
  if (failing.length > 0) {
    throw new Error(`the suite fails on the chart as it is; mend it first:${list(failing)}`);
  }
  if (early.length > 0) {
    throw new Error(
      `these files render while they are loaded, where no mutant reaches them; use beforeAll:${list(early)}`,
    );
  }
  if (cases === 0) throw new Error('the suite renders nothing: is helm started with execFile?');
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
