import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { codeOf } from '../../ports/index.ts';

/** Where the evidence was published. */
export interface Pointer {
  /** The file's text. */
  readonly text: string;
  /** `registry/repository:tag` */
  readonly oci: string;
  /** sha256:<64 hex> of the artifact's manifest. */
  readonly digest: string;
}

/**
 * Reads the pointer that `aicr evidence publish` writes.
 * @returns the pointer, or why it is none, as a sentence
 */
export async function readPointer(file: string): Promise<Pointer | string> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const code = codeOf(error);
    return code === 'ENOENT' ? 'it wrote no pointer.yaml' : `its pointer.yaml cannot be read (${code})`;
  }
  const bundle = bundleOf(text);
  if (bundle === null) return 'its pointer.yaml names no bundle';
  const { oci, digest } = bundle;
  if (digest === '') return 'its pointer.yaml has no digest';
  if (!/^sha256:[0-9a-f]{64}$/.test(digest))
    return `its pointer.yaml has a malformed digest (${digest.slice(0, 80)})`;
  return oci === '' ? 'its pointer.yaml does not say where the bundle is' : { text, oci, digest };
}

function bundleOf(text: string): { oci: string; digest: string } | null {
  try {
    const pointer: unknown = parse(text, { maxAliasCount: 0 });
    const attestations = field(pointer, 'attestations');
    const bundle = field(Array.isArray(attestations) ? attestations[0] : undefined, 'bundle');
    if (typeof bundle !== 'object' || bundle === null) return null;
    return { oci: asText(field(bundle, 'oci')), digest: asText(field(bundle, 'digest')) };
  } catch {
    return null;
  }
}

const field = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;

const asText = (value: unknown): string => (typeof value === 'string' ? value : '');
