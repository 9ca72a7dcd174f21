import { access } from 'node:fs/promises';
import { join } from 'node:path';

/** Folder of the bundle inside what `--emit-attestation` was given (pkg/evidence/attestation of aicr). */
const BUNDLE_FOLDER = 'summary-bundle';

/** By the first two aicr knows a bundle; the third is what it signs. */
const MARKS = ['recipe.yaml', 'manifest.json', 'statement.intoto.json'];

/** Where the bundle was published, as aicr writes it beside the bundle. */
export const POINTER_FILE = 'pointer.yaml';

/**
 * Looks whether there is a bundle that aicr can verify and publish.
 * @param dir what `--emit-attestation` was given
 * @returns what is missing, as a sentence; empty when the bundle is there
 */
export async function missingBundle(dir: string): Promise<string> {
  const missing: string[] = [];
  for (const mark of MARKS) {
    await access(join(dir, BUNDLE_FOLDER, mark)).catch(() => missing.push(mark));
  }
  if (missing.length === 0) return '';
  return missing.length === MARKS.length
    ? 'aicr validate emitted no evidence bundle'
    : `aicr validate left an incomplete evidence bundle: ${missing.join(', ')} missing`;
}
