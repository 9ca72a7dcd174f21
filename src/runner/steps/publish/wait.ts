import type { ProofContext } from '../proof.ts';
import type { MountedSecret } from './planned.ts';
import { describe, lookAtSecret } from './secret.ts';

/** Publishing never holds up a run for longer. */
export const LONGEST_WAIT_MS = 600_000;
const POLL_MS = 2_000;
/** Kept of the run's time for what comes after the waiting. */
const RESERVE_MS = 60_000;

/** Contents of the Secrets, in their order; or why they cannot be had, as a sentence. */
export type Awaited = { readonly texts: readonly string[] } | { readonly why: string };

/**
 * Waits until every Secret has landed: ten minutes at most, and never up to the run's deadline. Says in status and
 * log what it waits for.
 * @throws the abort reason of the context's signal
 */
export async function awaitSecrets(
  secrets: readonly MountedSecret[],
  context: ProofContext,
): Promise<Awaited> {
  const { clock, status, signal } = context;
  const limitMs = limit(context);
  const until = clock.monotonic() + limitMs;
  for (let waited = false; ; waited = true) {
    const looks = await Promise.all(secrets.map(lookAtSecret));
    const unusable = looks.find((look) => look.state === 'unusable');
    if (unusable !== undefined) return { why: unusable.why };
    const missing = secrets.filter((_, index) => looks[index]?.state === 'missing').map(describe);
    if (missing.length === 0) {
      if (waited) await status.secretLanded(`${secrets.map(describe).join(' and ')}: here`);
      return { texts: looks.map((look) => (look.state === 'ready' ? look.text : '')) };
    }
    if (clock.monotonic() >= until) {
      return { why: `${missing.join(' and ')} did not land within ${Math.round(limitMs / 1000)} s` };
    }
    await status.waitingForSecret(`waiting for ${missing.join(' and ')}: publishing the evidence needs it`);
    await clock.sleep(POLL_MS, signal);
  }
}

function limit({ clock, deadline }: ProofContext): number {
  if (deadline === null) return LONGEST_WAIT_MS;
  const left = deadline.getTime() - clock.now().getTime() - RESERVE_MS;
  return Math.max(0, Math.min(LONGEST_WAIT_MS, left));
}
