import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StepContext } from '../../context.ts';
import type { UpgradeCheckStep } from '../../planned.ts';
import { type Command, type CommandResult, messageOf } from '../../ports/index.ts';
import { aicrEnvironment } from '../aicr/environment.ts';
import { describeExit, failureMessage } from '../aicr/failure.ts';
import { type Change, readReport } from './report.ts';

/** The check reads Secrets of the whole cluster; what takes longer than this hangs. */
const LONGEST_CHECK_MS = 600_000;

/** No report is that long, in bytes; parsing one takes several times its size in memory. */
const LARGEST_REPORT = 16 * 1024 * 1024;

/** aicr's answer, or why there is none. */
export type Answer =
  | { readonly kind: 'report'; readonly changes: readonly Change[]; readonly content: string }
  | { readonly kind: 'notAvailable' }
  | { readonly kind: 'failed'; readonly why: string; readonly tail: readonly string[] };

/**
 * Asks aicr about the upgrade. Whatever goes wrong with the check itself is an answer, too.
 * @throws the abort reason when the run is stopped
 */
export async function ask(step: UpgradeCheckStep, context: StepContext): Promise<Answer> {
  const run = { cwd: dirname(step.reportFile), env: aicrEnvironment };
  try {
    let offers = false;
    const onLine = (line: string): void => {
      // A command line that does not know the command may still end well, with the help of the whole program.
      offers ||= line.includes('--fail-on-error');
    };
    const help = await withLimit({ ...run, argv: step.helpArgv, onLine }, context);
    if (help.signal !== null) return failed(`its help: ${describeExit(null, help.signal)}`, help.tail);
    if (help.exitCode !== 0 || !offers) return { kind: 'notAvailable' };

    const checked = await withLimit(
      { ...run, argv: step.argv, stdoutFile: step.reportFile, onLine: context.log.child },
      context,
    );
    const { size } = await stat(step.reportFile);
    const content = size > LARGEST_REPORT ? '' : await readFile(step.reportFile, 'utf8');
    const changes = readReport(content);
    if (changes !== null) return { kind: 'report', changes, content };
    const said = failureMessage(checked.tail);
    const how = describeExit(checked.exitCode, checked.signal);
    return failed(
      `it gave no report that can be read: ${said === '' ? how : `${said} (${how})`}`,
      checked.tail,
    );
  } catch (error) {
    context.signal.throwIfAborted();
    return failed(messageOf(error), []);
  }
}

const failed = (why: string, tail: readonly string[]): Answer => ({ kind: 'failed', why, tail });

/** Runs aicr, but not for longer than the check may take. */
async function withLimit(command: Command, { commands, clock, signal }: StepContext): Promise<CommandResult> {
  const limit = new AbortController();
  const over = new AbortController();
  clock.sleep(LONGEST_CHECK_MS, over.signal).then(
    () => limit.abort(new Error(`it did not end within ${LONGEST_CHECK_MS / 60_000} minutes`)),
    () => undefined,
  );
  try {
    return await commands.run(command, AbortSignal.any([signal, limit.signal]));
  } finally {
    over.abort();
  }
}
