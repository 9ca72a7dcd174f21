import { createHash } from 'node:crypto';
import { inWords } from './budget.ts';
import type { Result } from './result.ts';

/**
 * Says how a split entry is joined: one line of POSIX shell with kubectl and base64, nothing else.
 * @param key key of the entry in every part
 * @param first number of its first part
 * @param last number of its last part
 * @param whole its content, for size and sha256
 */
export function joinNote(
  result: Result,
  key: string,
  first: number,
  last: number,
  whole: string | Uint8Array,
): string {
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index).join(' ');
  const field = typeof whole === 'string' ? 'data' : 'binaryData';
  const decode = typeof whole === 'string' ? '' : ' | base64 -d';
  const path = `{.${field}.${key.replaceAll('.', '\\.')}}`;
  const size = inWords(Buffer.byteLength(whole));
  return [
    `${key} is ${size}, too large for one ConfigMap. The whole is in ${result.name}-${first} to ${result.name}-${last}. Join it with:`,
    `  for i in ${numbers}; do kubectl get configmap ${result.name}-$i -n ${result.namespace} -o jsonpath='${path}'${decode}; done > ${key}`,
    `sha256 of the joined file: ${createHash('sha256').update(whole).digest('hex')}`,
  ].join('\n');
}

/** Says that a text was cut. */
export const cutNote = (key: string, size: number, wholeAt: string): string =>
  `${key} is ${inWords(size)} and was cut. ${wholeAt}`;

/** Says that a binary was left out. */
export const leftOutNote = (key: string, size: number, limit: number, wholeAt: string): string =>
  `${key} is ${inWords(size)} and was left out: ConfigMaps of this run hold up to ${inWords(limit)}. ${wholeAt}`;

/** Says that a text holds replaced characters. */
export const replacedNote = (key: string, count: number): string =>
  `${key}: ${count} bytes that are no text were replaced by visible marks`;
