import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { RunError } from '../../../contract/index.ts';
import type { StepContext } from '../../context.ts';
import type { PublishStep } from '../../planned.ts';
import { messageOf } from '../../ports/index.ts';
import { asDiskFull } from '../disk.ts';
import { captureEvidence, missingBundle, POINTER_FILE, packEvidence } from '../evidence/index.ts';
import type { StepOutcome } from '../outcome.ts';
import { awaitSecrets, describeSecret } from '../secret/index.ts';
import { type Pointer, readPointer } from './pointer.ts';
import { type PublishSecrets, type PushFailure, pushOnce } from './push.ts';
import { judgeToken } from './token.ts';

export { inspectToken, type TokenFinding } from './token.ts';

/** Pauses between the tries; together with aicr's own retries enough for a registry that restarts. */
const PAUSES_MS = [5_000, 15_000, 30_000, 60_000];

/** Publishing never waits longer for a Secret. */
const LONGEST_WAIT_MS = 600_000;
/** Kept of the run's time for what comes after the waiting. */
const RESERVE_MS = 60_000;

/** Something that keeps the evidence from being published. */
type Trouble = Pick<PushFailure, 'message' | 'hint'> & { readonly tail?: readonly string[] };

/**
 * Publishes the evidence and adds its pointer to the captured evidence. A failure does not reject: what
 * publish.failOnError makes of it waits for the last step.
 * @throws the abort reason of the context's signal
 */
export async function publish(step: PublishStep, context: StepContext): Promise<StepOutcome> {
  const published = await tryToPublish(step, context);
  if ('message' in published) return failed(step, published, context);
  const message = `published as ${published.oci}@${published.digest}`;
  return (await addPointer(step, published, context))
    ? { message }
    : {
        message: `${message}, but its pointer is not in ConfigMap ${step.target.configMap}`,
        failures: ['evidence (not kept)'],
      };
}

async function tryToPublish(step: PublishStep, context: StepContext): Promise<Pointer | Trouble> {
  const missing = await missingBundle(step.dir);
  if (missing !== '') {
    return { message: `nothing to publish: ${missing}`, hint: 'See why in the verdict of the validation.' };
  }
  const secrets = await gatherSecrets(step, context);
  if ('message' in secrets) return secrets;

  const pointerFile = join(step.dir, POINTER_FILE);
  // The one that `aicr validate` wrote points nowhere and must not be taken for the answer.
  await rm(pointerFile, { force: true });
  try {
    const failure = await push(step, secrets, context);
    if (failure !== null) return failure;
  } catch (thrown) {
    // What was installed and proven is no worse for whatever kept aicr from being asked.
    if (context.signal.aborted) throw thrown;
    return troubleOf(await asDiskFull(thrown, dirname(step.configDir), 'publishing the evidence'));
  }
  const pointer = await readPointer(pointerFile);
  if (typeof pointer !== 'string') return pointer;
  return {
    message: `aicr evidence publish ended well, but ${pointer}: where the evidence is cannot be told`,
    hint: `Look into the registry (${step.ref}); see aicr's output in the log.`,
  };
}

function troubleOf(error: unknown): Trouble {
  if (error instanceof RunError) return error;
  const message = messageOf(error);
  return { message, hint: 'Run it again; report it with the log when it stays.' };
}

async function gatherSecrets(step: PublishStep, context: StepContext): Promise<PublishSecrets | Trouble> {
  const { registrySecret, identityToken } = step;
  const wanted = [registrySecret, identityToken].filter((secret) => secret !== null);
  const waiting = { why: 'publishing the evidence needs it', limitMs: longestWait(context) };
  const awaited = await awaitSecrets(wanted, waiting, context);
  if ('why' in awaited) {
    return { message: awaited.why, hint: 'Create the Secret with that key, then run it again.' };
  }
  const texts = [...awaited.texts];
  const registry = registrySecret === null ? null : { secret: registrySecret, text: texts.shift() ?? '' };
  if (identityToken === null) return { registry, identityToken: null };

  // A line end at the end of a token is `echo`'s, and no header can hold it.
  const token = (texts.shift() ?? '').trim();
  context.mask(token);
  const judged = judgeToken(token, context.clock.now());
  if (judged.state === 'usable') return { registry, identityToken: token };
  const faults = {
    empty: 'is empty',
    malformed: 'is no token: it has blanks or control characters inside',
    expired: `expired at ${judged.state === 'expired' ? judged.at.toISOString() : ''}`,
  };
  return {
    message: `the identity token in ${describeSecret(identityToken)} ${faults[judged.state]}`,
    hint: 'Write a fresh token into the Secret, or set validate.publish.mode to unsigned and sign later.',
  };
}

/** Ten minutes at most, and never up to the run's deadline. */
function longestWait({ clock, deadline }: StepContext): number {
  if (deadline === null) return LONGEST_WAIT_MS;
  const left = deadline.getTime() - clock.now().getTime() - RESERVE_MS;
  return Math.max(0, Math.min(LONGEST_WAIT_MS, left));
}

async function push(
  step: PublishStep,
  secrets: PublishSecrets,
  context: StepContext,
): Promise<PushFailure | null> {
  for (let attempt = 0; ; attempt += 1) {
    const failure = await pushOnce(step, secrets, context);
    const pause = PAUSES_MS[attempt];
    if (failure === null || !failure.transient || pause === undefined) return failure;
    context.log.warn(`${failure.message}; trying again in ${pause / 1000} s`);
    context.status.retrying(failure.message);
    await context.clock.sleep(pause, context.signal);
  }
}

/**
 * Packs again: in signed mode aicr has put the signature beside what it signed.
 * @returns whether evidence and pointer are in their ConfigMap; when not, a warning says why
 */
async function addPointer(step: PublishStep, pointer: Pointer, context: StepContext): Promise<boolean> {
  try {
    const archive = await packEvidence(step.dir, step.archive);
    context.status.note({
      evidence: { sha256: `sha256:${archive.sha256}`, oci: pointer.oci, digest: pointer.digest },
    });
    return await captureEvidence(step.target, step.archive, archive, pointer.text, context);
  } catch (error) {
    if (context.signal.aborted) throw error;
    const why = messageOf(error);
    context.status.warn(`the pointer could not be added to ConfigMap ${step.target.configMap}: ${why}`);
    return false;
  }
}

function failed(
  step: PublishStep,
  { message: why, hint, tail = [] }: Trouble,
  context: StepContext,
): StepOutcome {
  const message = `publishing failed: ${why}`;
  if (step.failOnError) return { message, failsRun: { code: 'PublishFailed', message, hint, tail } };
  context.status.warn(`${message}. ${hint}`);
  return { message, failures: ['publishing'] };
}
