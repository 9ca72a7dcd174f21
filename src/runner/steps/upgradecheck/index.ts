import { RunError, UPGRADE_KEYS } from '../../../contract/index.ts';
import type { StepContext } from '../../context.ts';
import type { UpgradeCheckStep } from '../../planned.ts';
import { messageOf } from '../../ports/index.ts';
import { earlierRuns, hasInstalled } from '../../status/index.ts';
import { bundleDigest } from '../digest.ts';
import { keepResult } from '../keep.ts';
import type { StepOutcome } from '../outcome.ts';
import { ask } from './ask.ts';
import { type SummaryFacts, summariseFailure, summariseUpgrade } from './summary.ts';
import { judge, statusOf, whyStopped } from './verdict.ts';

/**
 * Lets aicr judge the move from what the cluster has to what the recipe pins, writes the verdicts down, and stops at
 * those it is told to stop at. A check that does not work is warned of and stops nothing.
 * @throws RunError `UpgradeBlocked`
 */
export async function upgradeCheck(step: UpgradeCheckStep, context: StepContext): Promise<StepOutcome> {
  if (await isInstalled(step, context)) {
    return skip('SameBundle', 'skipped: the last complete run installed this very bundle', context);
  }
  const answer = await ask(step, context);
  if (answer.kind === 'notAvailable') {
    return skip('NotAvailable', `skipped: aicr ${step.version} has no upgrade-check`, context);
  }
  const facts = factsOf(step, context);
  if (answer.kind === 'failed') {
    const message = `aicr upgrade-check does not work, so nothing is known of this move: ${answer.why}`;
    context.status.note({ upgradeCheck: { outcome: 'CheckFailed', message, components: [] } });
    context.status.warn(message);
    await capture(step, summariseFailure(message, answer.tail, facts), null, context);
    return { message };
  }
  const verdict = judge(answer.changes, step.failOn);
  const summary = summariseUpgrade(verdict, facts);
  for (const line of summary.trimEnd().split('\n')) context.log.info(line);
  context.status.note({ upgradeCheck: statusOf(verdict) });
  await capture(step, summary, answer.content, context);
  if (verdict.outcome === 'Blocked') {
    const where = step.target.configMap === '' ? 'the log' : `ConfigMap ${step.target.configMap}`;
    throw new RunError('UpgradeBlocked', whyStopped(verdict), {
      hint: `Do what the verdicts ask for (they are in ${where}), following the components' own release notes; then run it again.`,
    });
  }
  if (verdict.outcome === 'NeedsAttention') context.status.warn(`aicr upgrade-check: ${verdict.message}`);
  return { message: verdict.message };
}

function skip(outcome: 'SameBundle' | 'NotAvailable', message: string, { status }: StepContext): StepOutcome {
  status.note({ upgradeCheck: { outcome, message, components: [] } });
  return { message };
}

/** Whether the cluster has the bundle already, as far as the runs' documents tell. */
async function isInstalled(step: UpgradeCheckStep, context: StepContext): Promise<boolean> {
  if (step.statusConfigMap === '') return false;
  try {
    const found = await context.cluster.readConfigMap(step.statusConfigMap, context.signal);
    const runs = earlierRuns(found?.data ?? {}, step.target.release);
    return hasInstalled(runs, await bundleDigest(step.dir));
  } catch (error) {
    context.signal.throwIfAborted();
    context.log.warn(`what earlier runs installed cannot be read: ${messageOf(error)}`);
    return false;
  }
}

const factsOf = ({ target, version, failOn }: UpgradeCheckStep, { clock }: StepContext): SummaryFacts => ({
  ...target,
  version,
  failOn,
  endedAt: clock.now(),
});

/** @param report as aicr wrote it; null when there is none, and then a former one goes */
async function capture(
  step: UpgradeCheckStep,
  summary: string,
  report: string | null,
  context: StepContext,
): Promise<void> {
  if (step.target.configMap === '') return;
  const wholeAt = 'The same command of aicr gives it again.';
  const entries = [
    { key: UPGRADE_KEYS.summary, text: summary, wholeAt },
    ...(report === null ? [] : [{ key: UPGRADE_KEYS.report, text: report, wholeAt }]),
  ];
  await keepResult(
    step.target,
    {
      entries,
      keys: Object.values(UPGRADE_KEYS),
      value: 'upgradeCheck.configMap',
      what: 'the upgrade check (it is in log and status)',
      holds: 'the verdicts of the upgrade check',
    },
    context,
  );
}
