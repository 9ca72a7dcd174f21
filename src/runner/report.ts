import { writeFileSync } from 'node:fs';
import type { RunStatus } from '../contract/index.ts';
import type { Announcer } from './announcer.ts';
import type { Log } from './log.ts';
import { cutBytes, type RunEvent } from './ports/index.ts';
import type { RunEnd, StatusWriter } from './status/index.ts';
import { terminationMessage } from './termination.ts';

/** How long the last writes are tried. */
const LAST_WRITES_MS = 60_000;

/** The same for a run whose pod is about to be killed, or that has waited for the API server long enough. */
const LAST_WRITES_SHORT_MS = 8000;

/** What the reason may take of an Event's 1024 bytes. */
const LONGEST_REASON = 600;

/** How long the last Events may hold up the end. */
const EVENTS_MS = 5000;

export interface Report {
  readonly end: RunEnd;
  /** The final document, as shown. */
  readonly status: RunStatus;
  readonly terminationFile: string;
  readonly log: Log;
  readonly writer: StatusWriter;
  /** Null when there is no Job to speak about. */
  readonly announcer: Announcer | null;
}

/** Says how a run ended, everywhere: termination message, log, Event, status document. Does not reject. */
export async function report({
  end,
  status,
  terminationFile,
  log,
  writer,
  announcer,
}: Report): Promise<void> {
  // First what needs no network: the pod may be killed at any time.
  try {
    writeFileSync(terminationFile, terminationMessage(status));
  } catch (error) {
    log.warn(`the termination message cannot be written to ${terminationFile}: ${(error as Error).message}`);
  }
  const say = end.reason === '' ? log.info : log.error;
  say(`${end.phase}${end.reason === '' ? '' : ` (${end.reason})`}: ${status.message}`);
  for (const line of [status.hint, status.rerun === '' ? '' : `run again: ${status.rerun}`]) {
    if (line !== '') {
      log.info(line);
    }
  }
  announcer?.announce(endEvent(status));
  const interrupted = end.phase === 'Interrupted';
  const short = interrupted || end.reason === 'ClusterUnreachable';
  await Promise.all([
    writer.close(short ? LAST_WRITES_SHORT_MS : LAST_WRITES_MS, interrupted),
    announcer?.settle(EVENTS_MS),
  ]);
}

/** The Event of a run's end: its phase, what happened, and how to go on. */
function endEvent({ phase, reason, message, rerun }: RunStatus): RunEvent {
  const said = reason === '' ? message : `${reason}: ${message}`;
  return {
    type: phase === 'Succeeded' ? 'Normal' : 'Warning',
    reason: phase,
    // Cut here, as the rerun line behind it must not be.
    message: rerun === '' ? said : `${cutBytes(said, LONGEST_REASON)} — run again: ${rerun}`,
  };
}
