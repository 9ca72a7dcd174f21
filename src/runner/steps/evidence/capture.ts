import { readFile } from 'node:fs/promises';
import { describeHolding, inWords, WHOLE_LIMIT, writeResult } from '../../results/index.ts';
import type { ProofContext } from '../proof.ts';
import type { EvidenceArchive } from './archive.ts';
import type { EvidenceTarget } from './planned.ts';

/** Keys of the evidence's ConfigMap. */
export const EVIDENCE_KEYS = { archive: 'evidence.tgz', pointer: 'pointer.yaml' } as const;

/**
 * Writes the packed evidence, and the pointer once there is one, into its ConfigMap. Both are stated each time:
 * server-side apply drops what a manager leaves out.
 * @param file the archive
 * @param pointer text of pointer.yaml; null before publishing
 * @returns whether it was written; when not, a warning says why
 */
export async function captureEvidence(
  target: EvidenceTarget,
  file: string,
  archive: EvidenceArchive,
  pointer: string | null,
  context: ProofContext,
): Promise<boolean> {
  const { size } = archive;
  const wholeAt =
    pointer === null
      ? 'Publishing it (validate.publish) keeps the whole.'
      : 'The whole is in the registry: see pointer.yaml.';
  const bytes = size > WHOLE_LIMIT ? null : await readFile(file);
  const written = await writeResult(
    {
      name: target.configMap,
      namespace: target.namespace,
      entries: [
        ...(pointer === null ? [] : [{ key: EVIDENCE_KEYS.pointer, text: pointer, wholeAt }]),
        { key: EVIDENCE_KEYS.archive, bytes, size, wholeAt },
      ],
      keys: Object.values(EVIDENCE_KEYS),
    },
    {
      store: context.results,
      clock: context.clock,
      release: target.release,
      signal: context.signal,
      log: context.log,
    },
  );
  if (!written.written) {
    context.status.warn(
      `the evidence (${inWords(size)}) could not be written to ConfigMap ${target.configMap}: ${written.why}`,
    );
    return false;
  }
  for (const warning of written.warnings) context.status.warn(warning);
  context.status.result({
    configMap: target.configMap,
    holds: describeHolding(
      'the evidence bundle, gzipped, and its pointer once published',
      written.configMaps,
    ),
  });
  return true;
}
