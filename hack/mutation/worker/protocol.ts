import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Mutant, SourceFile } from '../catalogue/index.ts';

/** Environment variable that names the file with a worker's assignment. */
export const ASSIGNMENT = 'NVIDIA_AICR_MUTATION';

/** What a worker must know before it starts. */
export interface Assignment {
  /** Path of the socket on which mutants are handed out. */
  readonly socket: string;
  /** Paths of the helms that the suite starts. */
  readonly helms: Readonly<Record<'3' | '4', string>>;
  /** Path of the program that renders in their place. */
  readonly renderer: string;
  /** Folder in which renders without a fault are kept. */
  readonly renders: string;
  /** The chart as it is without a fault. */
  readonly files: readonly SourceFile[];
  /** Number of the suite's files. */
  readonly suite: number;
  /** Whether every render is compared with the real helm's. */
  readonly prove: boolean;
}

/** What the suite said of one mutant. */
export interface Verdict {
  readonly id: string;
  readonly status: 'killed' | 'killed-by-render' | 'survived';
  /** The test that failed. */
  readonly killer: string;
  /** Whether a render of the suite came out differently: false means that no test could have noticed. */
  readonly differed: boolean;
  /** Tests that were run again. */
  readonly tests: number;
  readonly milliseconds: number;
}

/** What a worker found when it ran the suite on the chart without a fault. */
export interface Baseline {
  readonly tests: number;
  /** Keys of the renders that they asked for. */
  readonly cases: readonly string[];
  /** Tests that failed; with any of them no mutant can be judged. */
  readonly failing: readonly string[];
  /** Files that render while they are loaded, where no mutant reaches them. */
  readonly early: readonly string[];
  /** Tests that start helm or other programs as processes, which is slow. */
  readonly slow: readonly string[];
}

/** What one render of the suite comes to without a fault. */
export interface Outcome {
  readonly ok: boolean;
  readonly fingerprint: string;
  /** What the values schema said. */
  readonly schema: string;
  /** Bodies of the templates that were executed. */
  readonly bodies: readonly string[];
  /** Digests of what each template made, or the error that it ended in. */
  readonly files: Readonly<Record<string, string>>;
}

/** Outcomes by the key of their case. */
export type Outcomes = readonly (readonly [key: string, outcome: Outcome])[];

export type FromWorker =
  | ({ readonly type: 'baseline' } & Baseline)
  /** With the command lines to which the real helm says something else. */
  | { readonly type: 'measured'; readonly outcomes: Outcomes; readonly unequal: readonly string[] }
  | { readonly type: 'verdict'; readonly verdict: Verdict };

export type ToWorker =
  /** These cases are yours to measure. */
  | { readonly type: 'measure'; readonly cases: readonly string[] }
  /** What all workers have measured. */
  | { readonly type: 'outcomes'; readonly outcomes: Outcomes }
  | { readonly type: 'mutant'; readonly mutant: Mutant; readonly hint: string | undefined }
  | { readonly type: 'end' };

/** Sends one message as a line. */
export const send = (socket: Socket, message: FromWorker | ToWorker): void => {
  socket.write(`${JSON.stringify(message)}\n`);
};

/** The messages that come in, until the other side ends. */
export async function* receive<Message extends FromWorker | ToWorker>(
  socket: Socket,
): AsyncGenerator<Message> {
  for await (const line of createInterface({ input: socket })) yield JSON.parse(line) as Message;
}
