import { readFile } from 'node:fs/promises';
import { EVIDENCE_KEYS } from '../../../contract/index.ts';
import type { StepContext } from '../../context.ts';
import type { ResultTarget } from '../../planned.ts';
import { inWords, WHOLE_LIMIT } from '../../results/index.ts';
import { keepResult } from '../keep.ts';
import type { EvidenceArchive } from './archive.ts';

/**
 * Writes the packed evidence, and the pointer once there is one, into its ConfigMap. Both are stated each time:
 * server-side apply drops what a manager leaves out.
 * @param file the archive
 * @param pointer text of pointer.yaml; null before publishing
 * @returns whether it was written; when not, a warning says why
 */
export async function captureEvidence(
  target: ResultTarget,
  file: string,
  { size }: EvidenceArchive,
  pointer: string | null,
  context: StepContext,
): Promise<boolean> {
  const wholeAt =
    pointer === null
      ? 'Publishing it (validate.publish) keeps the whole.'
      : 'The whole is in the registry: see pointer.yaml.';
  const bytes = size > WHOLE_LIMIT ? null : await readFile(file);
  const entries = [
    ...(pointer === null ? [] : [{ key: EVIDENCE_KEYS.pointer, text: pointer, wholeAt }]),
    { key: EVIDENCE_KEYS.archive, bytes, size, wholeAt },
  ];
  return await keepResult(
    target,
    {
      entries,
      keys: Object.values(EVIDENCE_KEYS),
      value: 'validate.evidenceConfigMap',
      what: `the evidence (${inWords(size)})`,
      holds: 'the evidence bundle, gzipped, and its pointer once published',
    },
    context,
  );
}
