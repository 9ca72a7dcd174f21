import type { Socket } from 'node:net';
import type { Mutant } from '../catalogue/index.ts';
import {
  type Baseline,
  type FromWorker,
  type Outcome,
  receive,
  send,
  type Verdict,
} from '../worker/protocol.ts';

/** What is handed out, and who is told what comes back. */
export interface Work {
  readonly mutants: readonly Mutant[];
  /** Tests that killed a mutant in an earlier run, by its id. */
  readonly hints: ReadonlyMap<string, string>;
  /** Outcomes of renders that an earlier run has measured; those that the suite no longer asks for are replaced. */
  readonly outcomes: Map<string, Outcome>;
  /** How many workers there are. */
  readonly count: number;
  readonly onBaseline: (baseline: Baseline) => void;
  readonly onVerdict: (verdict: Verdict) => void;
}

interface Connected {
  readonly socket: Socket;
  readonly cases: readonly string[];
  measured: boolean;
  current: Mutant | undefined;
}

/** Hands out work: first the measuring of the suite's renders, divided among the workers, then mutants. */
export class Handout {
  readonly #work: Work;
  readonly #queue: Mutant[];
  readonly #workers: Connected[] = [];

  constructor(work: Work) {
    this.#work = work;
    this.#queue = [...work.mutants];
  }

  /** Whether every mutant was handed out. */
  isEmpty(): boolean {
    return this.#queue.length === 0;
  }

  /**
   * Talks to one worker until it ends.
   * @throws Error when the suite fails without a mutant, or the worker ends too early
   */
  async serve(socket: Socket): Promise<void> {
    socket.on('error', () => undefined);
    let worker: Connected | undefined;
    for await (const message of receive<FromWorker>(socket)) {
      if (message.type === 'baseline') {
        check(message);
        worker = { socket, cases: message.cases, measured: false, current: undefined };
        this.#workers.push(worker);
        if (this.#workers.length === 1) this.#work.onBaseline(message);
        if (this.#workers.length === this.#work.count) this.#divide();
      } else if (worker !== undefined && message.type === 'measured') {
        worker.measured = true;
        checkRenders(message.unequal);
        for (const [key, outcome] of message.outcomes) this.#work.outcomes.set(key, outcome);
        if (this.#workers.every(({ measured }) => measured)) this.#begin();
      } else if (worker !== undefined && message.type === 'verdict') {
        this.#work.onVerdict(message.verdict);
        this.#next(worker);
      }
    }
    const { current } = worker ?? {};
    if (current !== undefined)
      throw new Error(`a worker ended while it judged ${current.id} in ${current.file}`);
  }

  #divide(): void {
    const { outcomes } = this.#work;
    const open = [...new Set(this.#workers.flatMap(({ cases }) => cases))].filter(
      (key) => !outcomes.has(key),
    );
    const shares = this.#workers.map((): string[] => []);
    for (const [index, key] of open.entries()) {
      const able = this.#workers.flatMap(({ cases }, place) => (cases.includes(key) ? [place] : []));
      shares[able[index % able.length] ?? 0]?.push(key);
    }
    for (const [index, { socket }] of this.#workers.entries()) {
      send(socket, { type: 'measure', cases: shares[index] ?? [] });
    }
  }

  #begin(): void {
    const wanted = new Set(this.#workers.flatMap(({ cases }) => cases));
    for (const key of this.#work.outcomes.keys()) if (!wanted.has(key)) this.#work.outcomes.delete(key);
    const outcomes = [...this.#work.outcomes];
    for (const worker of this.#workers) {
      send(worker.socket, { type: 'outcomes', outcomes });
      this.#next(worker);
    }
  }

  #next(worker: Connected): void {
    worker.current = this.#queue.shift();
    if (worker.current === undefined) send(worker.socket, { type: 'end' });
    else {
      const hint = this.#work.hints.get(worker.current.id);
      send(worker.socket, { type: 'mutant', mutant: worker.current, hint });
    }
  }
}

const checkRenders = (unequal: readonly string[]): void => {
  if (unequal.length === 0) return;
  throw new Error(`helm renders these in another way than hack/mutation/render:\n  ${unequal.join('\n  ')}`);
};

const check = ({ failing, early, cases }: Baseline): void => {
  const list = (names: readonly string[]): string => names.map((name) => `\n  ${name}`).join('');
  if (failing.length > 0) {
    throw new Error(`the suite fails on the chart as it is; mend it first:${list(failing)}`);
  }
  if (early.length > 0) {
    throw new Error(
      `these files render while they are loaded, where no mutant reaches them; use beforeAll:${list(early)}`,
    );
  }
  if (cases.length === 0) throw new Error('the suite renders nothing: is helm started with execFile?');
};
