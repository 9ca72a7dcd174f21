/**
 * Largest ConfigMap a run writes, as the JSON of the whole object: keys, metadata and the base64 growth of binaryData
 * counted. The API server refuses 1 MiB of values (https://kubernetes.io/docs/concepts/configuration/configmap/);
 * the rest is left for managed fields and for what a person adds.
 */
export const OBJECT_BUDGET = 900 * 1024;

/** Largest result that is kept whole, split over several ConfigMaps; beyond it is cut or left out. */
export const WHOLE_LIMIT = 8 * 1024 * 1024;

/** Most of a shortened document in the head, which is for a quick look; the whole is in the parts. */
const HEAD_DOCUMENT = 512 * 1024;

/** How much of a result is kept, in bytes. */
export interface Limits {
  /** Of one ConfigMap, as the JSON of the whole object. */
  readonly object: number;
  /** Of one entry. */
  readonly whole: number;
  /** Of a shortened document in the head. */
  readonly document: number;
}

export const LIMITS: Limits = { object: OBJECT_BUDGET, whole: WHOLE_LIMIT, document: HEAD_DOCUMENT };

/** Room for what the API server and the writer add: uid, timestamps, labels, managed fields. */
const METADATA_ALLOWANCE = 2048;

/**
 * Bytes that a text takes as a JSON string, quotes and escapes counted.
 */
export const textSize = (text: string): number => Buffer.byteLength(JSON.stringify(text));

/**
 * Bytes that binary content takes as a JSON string in base64, quotes counted.
 * @param bytes length of the content
 */
export const binarySize = (bytes: number): number => Math.ceil(bytes / 3) * 4 + 2;

/**
 * Bytes of a ConfigMap that holds nothing yet.
 * @param name its name
 * @param namespace its namespace
 */
export const emptyObjectSize = (name: string, namespace: string): number =>
  METADATA_ALLOWANCE + name.length + namespace.length;

/**
 * Bytes one key adds to a ConfigMap beside its value: its quotes, colon, comma, and its entry in the managed fields.
 */
export const keySize = (key: string): number => 2 * key.length + 24;

/**
 * A size for people: `812 B`, `3.4 KiB`, `1.2 MiB`.
 */
export function inWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const kib = bytes / 1024;
  return kib < 1024 ? `${kib.toFixed(1)} KiB` : `${(kib / 1024).toFixed(1)} MiB`;
}
