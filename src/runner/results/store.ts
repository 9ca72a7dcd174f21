import {
  FIELD_MANAGER,
  NOTES_KEY,
  PART_LABEL,
  RELEASE_LABEL,
  RunError,
  WRITTEN_BY_LABEL,
  WRITTEN_BY_RUN,
} from '../../contract/index.ts';
import {
  type Clock,
  type Cluster,
  type ConfigMapContent,
  messageOf,
  type StoredConfigMap,
} from '../ports/index.ts';
import { type Layout, layOut } from './layout.ts';
import type { Result } from './result.ts';

/** What writing results needs of the API server. */
export type ResultStore = Pick<Cluster, 'applyConfigMap' | 'readConfigMap' | 'deleteConfigMap'>;

/** What {@link writeResult} works with. */
export interface WriteContext {
  readonly store: ResultStore;
  readonly clock: Clock;
  /** Helm release name, by which leftover parts are known as ours. */
  readonly release: string;
  /** Aborts when the run stops; a write that is under way is still brought to its end. */
  readonly signal: AbortSignal;
  readonly log: { info(message: string): void; warn(message: string): void };
}

/** What became of a result. */
export type Written =
  | {
      readonly written: true;
      readonly configMaps: readonly string[];
      /** What was split, cut, left out or taken over, one sentence each. */
      readonly warnings: readonly string[];
    }
  | { readonly written: false; readonly why: string };

/** Two minutes in all: a result outlives a restart of the API server. */
const WAITS_MS = [1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 30_000, 30_000];
const WRITE_TIMEOUT_MS = 30_000;
/** After SIGTERM little time is left until SIGKILL. */
const LAST_TIMEOUT_MS = 10_000;

/**
 * Writes a result into its ConfigMaps: parts first, then the head that says how to join them, then what an earlier,
 * larger result left is removed. What may pass is tried again for about two minutes, once more when the run is being
 * stopped. It never rejects: that a result could not be written is for the caller to say.
 */
export async function writeResult(result: Result, context: WriteContext): Promise<Written> {
  const layout = layOut(result);
  for (let attempt = 0; ; attempt += 1) {
    const stopping = context.signal.aborted;
    try {
      const limit = AbortSignal.timeout(stopping ? LAST_TIMEOUT_MS : WRITE_TIMEOUT_MS);
      const takenOver = await writeOnce(result, layout, context, limit);
      const configMaps = [layout.head, ...layout.parts].map((configMap) => configMap.name);
      return { written: true, configMaps, warnings: [...takenOver, ...layout.notes] };
    } catch (error) {
      const why = messageOf(error);
      const wait = WAITS_MS[attempt];
      const refused = error instanceof RunError && !error.transient;
      if (stopping || wait === undefined || refused) {
        return { written: false, why };
      }
      context.log.warn(`ConfigMap ${result.name} could not be written, trying again: ${why}`);
      await context.clock.sleep(wait, context.signal).catch(() => undefined);
    }
  }
}

async function writeOnce(
  result: Result,
  layout: Layout,
  context: WriteContext,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { store, release } = context;
  for (const [index, part] of layout.parts.entries()) {
    const labels = { [PART_LABEL]: `${index + 1}-of-${layout.parts.length}` };
    await store.applyConfigMap({ ...part, labels }, FIELD_MANAGER, signal);
  }
  const stored = await store.readConfigMap(result.name, signal);
  const outdated = outdatedKeys(result, layout.head, stored);
  // Server-side apply removes a key only from the manager that owns it: taken over first, left out then.
  if (outdated !== null) await store.applyConfigMap(outdated, FIELD_MANAGER, signal);
  await store.applyConfigMap(layout.head, FIELD_MANAGER, signal);
  await removeLeftovers(result.name, layout.parts.length, context, signal);
  const owner = stored?.labels[RELEASE_LABEL];
  return owner === undefined || owner === release
    ? []
    : [
        `ConfigMap ${result.name} was written by release ${owner} and is overwritten: give each release its own ${result.value}`,
      ];
}

/** The head with every key of ours that it no longer has as an empty one; null when there is none. */
function outdatedKeys(
  result: Result,
  head: ConfigMapContent,
  stored: StoredConfigMap | null,
): ConfigMapContent | null {
  if (stored === null) return null;
  const ours = [...result.keys, NOTES_KEY];
  const text = ours.filter((key) => key in stored.data && !(key in (head.data ?? {})));
  const binary = ours.filter((key) => stored.binaryKeys.includes(key) && !(key in (head.binaryData ?? {})));
  if (text.length + binary.length === 0) return null;
  const left = (key: string): boolean => text.includes(key) || binary.includes(key);
  const kept = <Value>(values: Readonly<Record<string, Value>> | undefined) =>
    Object.fromEntries(Object.entries(values ?? {}).filter(([key]) => !left(key)));
  return {
    name: head.name,
    namespace: head.namespace,
    data: { ...kept(head.data), ...Object.fromEntries(text.map((key) => [key, ''])) },
    binaryData: {
      ...kept(head.binaryData),
      ...Object.fromEntries(binary.map((key) => [key, new Uint8Array()])),
    },
  };
}

/** Deletes `<name>-<n+1>` upwards, highest first, so that an interruption leaves no gap to stop at the next time. */
async function removeLeftovers(
  name: string,
  parts: number,
  { store, release }: WriteContext,
  signal: AbortSignal,
): Promise<void> {
  const leftovers: { readonly name: string; readonly uid: string }[] = [];
  for (let number = parts + 1; ; number += 1) {
    const stored = await store.readConfigMap(`${name}-${number}`, signal);
    const ours =
      stored !== null &&
      stored.labels[WRITTEN_BY_LABEL] === WRITTEN_BY_RUN &&
      stored.labels[RELEASE_LABEL] === release &&
      stored.labels[PART_LABEL] !== undefined;
    if (!ours) break;
    leftovers.push({ name: `${name}-${number}`, uid: stored.uid });
  }
  for (const leftover of leftovers.reverse()) {
    await store.deleteConfigMap(leftover.name, leftover.uid, signal);
  }
}

/**
 * Says what the ConfigMaps of a result hold, for the status.
 * @param what `the verdict of the validation`
 * @param configMaps the head, then its parts
 */
export function describeHolding(what: string, configMaps: readonly string[]): string {
  const [head = '', ...parts] = configMaps;
  return parts.length === 0 ? what : `${what} (with ${head}-1 to ${head}-${parts.length})`;
}
