import type { ConfigMapContent } from '../../src/runner/ports/index.ts';
import { LIMITS, type Limits } from '../../src/runner/results/budget.ts';
import { type Layout, layOut, type ResultEntry } from '../../src/runner/results/index.ts';

export const wholeAt = 'The registry keeps the whole.';

/** Lays out a result of these entries as ConfigMap `aicr-result`. */
export const layout = (entries: readonly ResultEntry[], limits: Limits = LIMITS): Layout =>
  layOut({ name: 'aicr-result', namespace: 'gpu', entries, keys: [], value: 'recipeConfigMap' }, limits);

export const text = (key: string, value: string | Uint8Array, more = {}): ResultEntry => ({
  key,
  text: value,
  wholeAt,
  ...more,
});

export const binary = (key: string, bytes: Uint8Array): ResultEntry => ({
  key,
  bytes,
  size: bytes.length,
  wholeAt,
});

/** Bytes of the object as it travels to the API server. */
export function jsonSize({ name, namespace, data, binaryData }: ConfigMapContent): number {
  const encoded = Object.entries(binaryData ?? {}).map(([key, bytes]) => [
    key,
    Buffer.from(bytes).toString('base64'),
  ]);
  const labels = {
    'nvidia-aicr/written-by': 'run',
    'nvidia-aicr/release': 'r'.repeat(53),
    'nvidia-aicr/part': '10-of-10',
  };
  const metadata = { name, namespace, labels };
  return Buffer.byteLength(
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata,
      data,
      binaryData: Object.fromEntries(encoded),
    }),
  );
}

export const joinText = ({ parts }: Layout, key: string): string =>
  parts.map(({ data }) => data?.[key] ?? '').join('');

export const joinBytes = ({ parts }: Layout, key: string): Buffer =>
  Buffer.concat(parts.map(({ binaryData }) => binaryData?.[key] ?? new Uint8Array()));
