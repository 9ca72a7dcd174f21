import type { StepContext } from '../../context.ts';
import type { MountedSecret } from '../../planned.ts';
import { describeSecret, lookAtSecret } from './look.ts';

const POLL_MS = 2_000;

/** How long a kubelet may take to show a pod a Secret that was made after it. */
const KUBELET_SECONDS = 90;

/** What Secrets are waited for. */
export interface Waiting {
  /** What needs them, for messages: `publishing the evidence needs it`. */
  readonly why: string;
  /** Longest time to wait in milliseconds; Infinity: until the run ends. */
  readonly limitMs: number;
}

/** Contents of the Secrets, in their order; or why they cannot be had, as a sentence. */
export type Awaited = { readonly texts: readonly string[] } | { readonly why: string };

/**
 * Waits until every Secret has landed: fleets deliver them late. Says in status and log what it waits for. One that is
 * there but cannot be used is not waited for.
 * @throws the abort reason of the context's signal
 */
export async function awaitSecrets(
  secrets: readonly MountedSecret[],
  { why, limitMs }: Waiting,
  { clock, status, signal }: StepContext,
): Promise<Awaited> {
  const until = clock.monotonic() + limitMs;
  for (let said = ''; ; ) {
    const looks = await Promise.all(secrets.map(lookAtSecret));
    const unusable = looks.find((look) => look.state === 'unusable');
    if (unusable !== undefined) return { why: unusable.why };
    const missing = secrets.filter((_, index) => looks[index]?.state === 'missing').map(describeSecret);
    if (missing.length === 0) {
      if (said !== '') await status.secretLanded(`${secrets.map(describeSecret).join(' and ')}: here`);
      return { texts: looks.map((look) => (look.state === 'ready' ? look.text : '')) };
    }
    if (clock.monotonic() >= until) {
      return { why: `${missing.join(' and ')} did not land within ${Math.round(limitMs / 1000)} s` };
    }
    const waiting = `waiting for ${missing.join(' and ')}: ${why}; once it is there, the run goes on by itself within ${KUBELET_SECONDS} s`;
    if (waiting !== said) await status.waitingForSecret(waiting);
    said = waiting;
    await clock.sleep(POLL_MS, signal);
  }
}
