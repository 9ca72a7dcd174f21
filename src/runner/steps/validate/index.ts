import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RunError } from '../../../contract/index.ts';
import type { StepContext } from '../../context.ts';
import type { ValidateStep } from '../../planned.ts';
import type { CommandResult } from '../../ports/index.ts';
import { aicrEnvironment } from '../aicr/environment.ts';
import { failureMessage } from '../aicr/failure.ts';
import { runLogged } from '../child.ts';
import type { StepOutcome } from '../outcome.ts';
import { precheck } from '../precheck.ts';
import { reportLeftovers } from '../releases/index.ts';
import { captureVerdict } from './capture.ts';
import { type LeftReport, readReportFile } from './report-file.ts';
import { summariseVerdict } from './summary.ts';
import { decide, interruptedVerdict, type Verdict } from './verdict.ts';

/** Lines kept to find aicr's message in: it prints its help after a wrong flag. */
const KEPT_LINES = 400;

/**
 * Runs `aicr validate` and writes its verdict down before anything else can go wrong, also when the run is being
 * stopped. A bad verdict does not reject: what failOnError makes of it waits for the last step.
 * @throws RunError `ClusterUnreachable` or `RightsMissing` where nobody has looked before; the abort reason of the
 *   context's signal, after the verdict is written
 */
export async function validate(step: ValidateStep, context: StepContext): Promise<StepOutcome> {
  const { access } = step;
  if (access !== null) {
    await precheck({ tools: [], access, otherwise: 'aicr validate may be refused' }, context);
    await reportLeftovers(context);
  }
  await rm(step.reportFile, { force: true });
  if (step.evidenceDir !== '') await rm(step.evidenceDir, { recursive: true, force: true });

  const lines: string[] = [];
  try {
    const ending = await run(step, lines, context);
    const left = await readReportFile(step.reportFile);
    const said = ending.exitCode === 0 ? '' : failureMessage(lines);
    const verdict = decide({ ending, report: left.report, missing: left.missing, said });
    await record(step, verdict, left, ending.exitCode, ending.tail, context);
    return outcomeOf(step, verdict, ending.tail);
  } catch (error) {
    if (!context.signal.aborted) throw error;
    const left = await readReportFile(step.reportFile);
    const why =
      context.signal.reason instanceof Error ? context.signal.reason.message : 'the run was stopped';
    const verdict = left.report === null ? interruptedVerdict(why) : afterReport(left, why);
    await record(step, verdict, left, null, lines.slice(-40), context);
    throw error;
  }
}

/** Runs aicr; one that does not even start is an ending like any other, since the cluster is what it is. */
async function run(step: ValidateStep, lines: string[], context: StepContext): Promise<CommandResult> {
  const command = { argv: step.argv, cwd: dirname(step.reportFile), env: aicrEnvironment };
  try {
    return await runLogged(command, context, (line) => {
      lines.push(line);
      if (lines.length > KEPT_LINES) lines.shift();
    });
  } catch (error) {
    if (context.signal.aborted || !(error instanceof RunError)) throw error;
    lines.push(error.message);
    return { exitCode: 126, signal: null, tail: [error.message] };
  }
}

/** aicr had its report written when it was stopped, so the checks have all run. */
function afterReport(left: LeftReport, why: string): Verdict {
  const { report } = left;
  const decided = decide({ ending: { exitCode: 0, signal: null }, report, missing: '', said: '' });
  return { ...decided, message: `${decided.message}; then the run was stopped: ${why}` };
}

async function record(
  step: ValidateStep,
  verdict: Verdict,
  left: LeftReport,
  exitCode: number | null,
  tail: readonly string[],
  context: StepContext,
): Promise<void> {
  const counts = left.report?.counts ?? { tests: 0, passed: 0, failed: 0, skipped: 0, other: 0 };
  context.status.note({ validation: { outcome: verdict.outcome, exitCode, ...counts } });
  const { configMap, release, namespace } = step.target;
  const facts = { release, namespace, configMap, version: step.version, phases: step.phases, tail };
  const summary = summariseVerdict(verdict, left.report, { ...facts, endedAt: context.clock.now() });
  for (const line of summary.trimEnd().split('\n')) context.log.info(line);
  await captureVerdict(step.target, summary, left.content, context);
  if (verdict.outcome === 'NothingChecked')
    context.status.warn(`validation proves nothing: ${verdict.message}`);
}

function outcomeOf(step: ValidateStep, verdict: Verdict, tail: readonly string[]): StepOutcome {
  const message = `${verdict.outcome}: ${verdict.message}`;
  if (!verdict.bad) return { message };
  if (!step.failOnError) return { message, failures: [`validation (${verdict.outcome})`] };
  const { hint } = verdict;
  return { message, failsRun: { code: 'ValidationFailed', message: `validation: ${message}`, hint, tail } };
}
