import type { StepContext } from '../context.ts';
import type { ResultTarget } from '../planned.ts';
import { describeHolding, type Result, writeResult } from '../results/index.ts';

/** A result of a step, before it is known where it goes. */
export interface Kept extends Pick<Result, 'entries' | 'keys' | 'value'> {
  /** The result in a few words, for the warning that it could not be written: `the verdict`. */
  readonly what: string;
  /** What the ConfigMap holds, for the status. */
  readonly holds: string;
}

/**
 * Writes a result into its ConfigMap and lists it in the status. What goes wrong is warned of: a record that cannot be
 * written is no reason to call an install failed.
 * @returns whether it is written
 */
export async function keepResult(
  { configMap, release, namespace }: ResultTarget,
  { what, holds, ...result }: Kept,
  { cluster: store, clock, log, signal, status }: StepContext,
): Promise<boolean> {
  const written = await writeResult(
    { ...result, name: configMap, namespace },
    { store, clock, release, signal, log },
  );
  if (!written.written) {
    status.warn(`${what} could not be written to ConfigMap ${configMap}: ${written.why}`);
    return false;
  }
  for (const warning of written.warnings) status.warn(warning);
  status.result({ configMap, holds: describeHolding(holds, written.configMaps) });
  return true;
}
