import type { Result } from '../../results/index.ts';
import { describeHolding, writeResult } from '../../results/index.ts';
import type { ProofContext } from '../proof.ts';
import type { VerdictTarget } from './planned.ts';
import { shortenReport } from './shorten.ts';

/** Keys of the verdict's ConfigMap. */
export const VERDICT_KEYS = { report: 'ctrf.json', summary: 'summary.txt' } as const;

/**
 * Writes the verdict into its ConfigMap. One that cannot be written is a warning: what was installed is no worse
 * for it, and log and status have the verdict, too.
 * @param content the report as aicr wrote it; null when there is none
 */
export async function captureVerdict(
  target: VerdictTarget,
  summary: string,
  content: Uint8Array | null,
  context: ProofContext,
): Promise<void> {
  const wholeAt =
    'With validate.emitEvidence and validate.publish the evidence keeps every check of every phase.';
  const result: Result = {
    name: target.configMap,
    namespace: target.namespace,
    entries: [
      { key: VERDICT_KEYS.summary, text: summary, wholeAt },
      ...(content === null
        ? []
        : [{ key: VERDICT_KEYS.report, text: content, shorten: shortenReport, wholeAt }]),
    ],
    keys: Object.values(VERDICT_KEYS),
  };
  const written = await writeResult(result, {
    store: context.results,
    clock: context.clock,
    release: target.release,
    signal: context.signal,
    log: context.log,
  });
  if (written.written) {
    for (const warning of written.warnings) context.status.warn(warning);
    context.status.result({
      configMap: target.configMap,
      holds: describeHolding('the verdict of the validation', written.configMaps),
    });
  } else {
    context.status.warn(
      `the verdict could not be written to ConfigMap ${target.configMap}: ${written.why}; it is in log and status alone`,
    );
  }
}
