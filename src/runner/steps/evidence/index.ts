import type { StepContext } from '../../context.ts';
import type { EvidenceStep } from '../../planned.ts';
import { messageOf } from '../../ports/index.ts';
import { inWords } from '../../results/index.ts';
import type { StepOutcome } from '../outcome.ts';
import { packEvidence } from './archive.ts';
import { missingBundle } from './bundle.ts';
import { captureEvidence } from './capture.ts';

export { type EvidenceArchive, packEvidence } from './archive.ts';
export { missingBundle, POINTER_FILE } from './bundle.ts';
export { captureEvidence } from './capture.ts';

/**
 * Packs the evidence bundle and writes it into its ConfigMap. What cannot be kept is a warning, and named among what
 * did not succeed; it never fails the run.
 */
export async function keepEvidence(step: EvidenceStep, context: StepContext): Promise<StepOutcome> {
  const missing = await missingBundle(step.dir);
  if (missing !== '')
    return lost(`${missing}; what ConfigMap ${step.target.configMap} holds is an earlier run's`, context);
  try {
    const archive = await packEvidence(step.dir, step.archive);
    for (const path of archive.odd)
      context.status.warn(`${path} in the evidence is no file and was left out`);
    context.status.note({ evidence: { sha256: `sha256:${archive.sha256}`, oci: '', digest: '' } });
    const kept = await captureEvidence(step.target, step.archive, archive, null, context);
    const message = `evidence.tgz, ${inWords(archive.size)}, sha256 ${archive.sha256}`;
    return kept
      ? { message }
      : {
          message: `${message}, is not in ConfigMap ${step.target.configMap}`,
          failures: ['evidence (not kept)'],
        };
  } catch (error) {
    if (context.signal.aborted) throw error;
    return lost(`the evidence cannot be packed: ${messageOf(error)}`, context);
  }
}

function lost(why: string, context: StepContext): StepOutcome {
  context.status.warn(why);
  return { message: why, failures: ['evidence (none)'] };
}
