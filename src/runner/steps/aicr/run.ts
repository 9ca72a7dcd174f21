import { type ReasonCode, RunError } from '../../../contract/index.ts';
import type { StepContext } from '../../context.ts';
import { runLogged } from '../child.ts';
import { diskFullFrom } from '../disk.ts';
import { aicrEnvironment } from './environment.ts';
import { describeExit, failureMessage } from './failure.ts';

/** How an aicr command failed. */
export interface AicrFailure {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  /** aicr's own words; empty when it said nothing. */
  readonly message: string;
}

/** Lines kept to find aicr's message in: more than the 40 of a tail, since it prints its help after a wrong flag. */
const KEPT_LINES = 400;

/**
 * Runs aicr.
 * @param cwd a writable folder: some commands stage files in it
 * @param classify reason code and hint for a failure; its message begins with aicr's own words
 * @throws RunError for any exit code but 0
 */
export async function runAicr(
  argv: readonly [string, ...string[]],
  cwd: string,
  context: StepContext,
  classify: (failure: AicrFailure) => { readonly code: ReasonCode; readonly hint: string },
): Promise<void> {
  const lines: string[] = [];
  const result = await runLogged({ argv, cwd, env: aicrEnvironment }, context, (line) => {
    lines.push(line);
    if (lines.length > KEPT_LINES) lines.shift();
  });
  const { exitCode, signal, tail } = result;
  if (exitCode === 0) return;
  const full = await diskFullFrom(tail, cwd, `aicr ${argv[1]}`);
  if (full !== null) throw full;
  const message = failureMessage(lines);
  const { code, hint } = classify({ exitCode, message });
  const how = `aicr ${argv[1]}: ${describeExit(exitCode, signal)}`;
  throw new RunError(code, message === '' ? how : `${message} (${how})`, { hint, tail });
}
