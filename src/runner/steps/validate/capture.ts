import { VERDICT_KEYS } from '../../../contract/index.ts';
import type { StepContext } from '../../context.ts';
import type { ResultTarget } from '../../planned.ts';
import { keepResult } from '../keep.ts';
import { shortenReport } from './shorten.ts';

/**
 * Writes the verdict into its ConfigMap. One that cannot be written is a warning: what was installed is no worse
 * for it, and log and status have the verdict, too.
 * @param content the report as aicr wrote it; null when there is none
 */
export async function captureVerdict(
  target: ResultTarget,
  summary: string,
  content: Uint8Array | null,
  context: StepContext,
): Promise<void> {
  const wholeAt =
    'With validate.emitEvidence and validate.publish the evidence keeps every check of every phase.';
  const report = { key: VERDICT_KEYS.report, shorten: shortenReport, wholeAt };
  const entries = [
    { key: VERDICT_KEYS.summary, text: summary, wholeAt },
    ...(content === null ? [] : [{ ...report, text: content }]),
  ];
  await keepResult(
    target,
    {
      entries,
      keys: Object.values(VERDICT_KEYS),
      value: 'validate.resultConfigMap',
      what: 'the verdict (it is in log and status)',
      holds: 'the verdict of the validation',
    },
    context,
  );
}
