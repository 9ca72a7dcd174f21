import type { Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';

/** How long a reader that takes nothing holds up whoever writes. */
const PATIENCE_MS = 10_000;

/** What is kept for a reader that takes nothing, in bytes. */
const MOST_KEPT = 1024 * 1024;

/**
 * Where the log goes. Node keeps in memory what the reader of a pipe has not taken: without a limit the output of a
 * talkative child would fill it, and the end of the process would lose it.
 */
export interface Sink {
  /** Takes a line with its line end. While nobody reads, lines beyond a mebibyte are left out, and counted. */
  write(line: string): void;
  /** Null: more can be written. Otherwise resolves when it can, or when the reader has taken nothing for a while. */
  busy(): Promise<void> | null;
  /** Resolves when all is written, or after a time in milliseconds. */
  flush(longestMs: number): Promise<void>;
}

/** @param stream such as `process.stdout`; its errors are its owner's to hear */
export function createSink(stream: Writable, patienceMs = PATIENCE_MS): Sink {
  let abandoned = false;
  let leftOut = 0;
  let waiting: Promise<void> | null = null;
  stream.on('drain', () => {
    abandoned = false;
  });

  const drained = async (): Promise<void> => {
    const done = new AbortController();
    const taken = new Promise<void>((resolve) => {
      for (const event of ['drain', 'close']) stream.once(event, () => resolve());
    });
    const given = wait(patienceMs, undefined, { signal: done.signal }).then(
      () => {
        abandoned = true;
      },
      () => {},
    );
    await Promise.race([taken, given]);
    done.abort();
    waiting = null;
  };

  return {
    write: (line) => {
      if (abandoned && stream.writableLength > MOST_KEPT) {
        leftOut += 1;
        return;
      }
      if (leftOut > 0) {
        stream.write(`[${leftOut} lines are left out here: nobody read the log]\n`);
        leftOut = 0;
      }
      stream.write(line);
    },
    busy: () => {
      if (abandoned || !stream.writableNeedDrain) return null;
      waiting ??= drained();
      return waiting;
    },
    flush: async (longestMs) => {
      const written = new Promise<void>((resolve) => {
        stream.write('', () => resolve());
      });
      await Promise.race([written, wait(longestMs, undefined, { ref: false })]);
    },
  };
}
