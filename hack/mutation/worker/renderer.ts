import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';

/** A command line of helm without the program's name, for the helm of one generation. */
export interface RenderJob {
  readonly helm: 3 | 4;
  readonly args: readonly string[];
  readonly coverage?: boolean;
  readonly schema?: boolean;
  /** Execute only some templates, and say what each made. */
  readonly survey?: { readonly only: readonly string[] };
}

/** What helm prints, and whether it ends well. */
export interface RenderAnswer {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
  /** Why only the real helm can answer. */
  readonly unsupported?: string;
  /** Coverage markers that were reached. */
  readonly hits?: readonly string[];
  /**
   * Digests of what each template made, with coverage or survey: of its text and, behind a blank, of its objects.
   * Text that is no YAML has no objects.
   */
  readonly files?: Readonly<Record<string, string>>;
}

/** Milliseconds after which a render counts as one that never ends; a busy machine may take long. */
const PATIENCE = 300_000;

/** The program of hack/mutation/render, which renders in milliseconds because it is there already. */
export class Renderer {
  readonly #program: string;
  #child: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #waiting: ((line: string) => void)[] = [];

  /** @param program path of the built program */
  constructor(program: string) {
    this.#program = program;
  }

  /** Renders; jobs are answered one after another, in the order in which they came. */
  async ask(job: RenderJob): Promise<RenderAnswer> {
    const child = this.#start();
    const line = new Promise<string>((resolve) => this.#waiting.push(resolve));
    child.stdin?.write(`${JSON.stringify(job)}\n`);
    if (this.#waiting.length === 1) this.#watch();
    return JSON.parse(await line) as RenderAnswer;
  }

  close(): void {
    this.#child?.stdin?.end();
  }

  #start(): ChildProcess {
    if (this.#child !== undefined) return this.#child;
    // One thread: the workers share the machine. The garbage of a render is small.
    const env = { PATH: process.env['PATH'], HOME: '/nonexistent', GOMAXPROCS: '1', GOGC: '400' };
    const child = spawn(this.#program, { stdio: ['pipe', 'pipe', 'inherit'], env });
    const lines: Interface = createInterface({ input: child.stdout });
    lines.on('line', (line) => {
      this.#waiting.shift()?.(line);
      this.#watch();
    });
    child.on('error', (error) => this.#fail(child, `${this.#program}: ${error.message}`));
    child.on('exit', () => this.#fail(child, 'the render did not end'));
    child.stdin.on('error', () => undefined);
    this.#child = child;
    return child;
  }

  /** Gives the next job its time. */
  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#waiting.length > 0) this.#timer = setTimeout(() => this.#child?.kill('SIGKILL'), PATIENCE);
  }

  /** Whoever still waits gets a failed render; the next job starts the program again. */
  #fail(child: ChildProcess, reason: string): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    clearTimeout(this.#timer);
    const waiting = this.#waiting;
    this.#waiting = [];
    const answer: RenderAnswer = { ok: false, stdout: '', stderr: `Error: ${reason}\n` };
    for (const resolve of waiting) resolve(JSON.stringify(answer));
  }
}
