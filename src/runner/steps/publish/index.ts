import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RunError } from '../../../contract/index.ts';
import { captureEvidence, missingBundle, POINTER_FILE, packEvidence } from '../evidence/index.ts';
import type { LateFailure, ProofContext, ProofOutcome } from '../proof.ts';
import type { PublishStep } from './planned.ts';
import { type Pointer, readPointer } from './pointer.ts';
import { type PublishSecrets, type PushFailure, pushOnce } from './push.ts';
import { describe } from './secret.ts';
import { judgeToken } from './token.ts';
import { awaitSecrets } from './wait.ts';

export { type PublishFiles, type PublishWish, planPublish } from './plan.ts';
export type { MountedSecret, PublishStep } from './planned.ts';
export { inspectToken, type TokenFinding } from './token.ts';

/** Pauses between the tries; together with aicr's own retries enough for a registry that restarts. */
const PAUSES_MS = [5_000, 15_000, 30_000, 60_000];

/** Something that keeps the evidence from being published. */
type Trouble = Pick<PushFailure, 'message' | 'hint'> & { readonly tail?: readonly string[] };

/**
 * Publishes the evidence and adds its pointer to the captured evidence. A failure does not reject: what
 * publish.failOnError makes of it waits for the last step.
 * @throws the abort reason of the context's signal
 */
export async function publish(step: PublishStep, context: ProofContext): Promise<ProofOutcome> {
  const published = await tryToPublish(step, context);
  if ('message' in published) return failed(step, published, context);
  const message = `published as ${published.oci}@${published.digest}`;
  context.log.info(message);
  return (await addPointer(step, published, context))
    ? { message }
    : { message, failures: ['evidence (not kept)'] };
}

async function tryToPublish(step: PublishStep, context: ProofContext): Promise<Pointer | Trouble> {
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
  } catch (error) {
    if (context.signal.aborted || !(error instanceof RunError) || error.code !== 'SecretInvalid') throw error;
    const hint =
      'Create it with kubectl create secret docker-registry, for the host of validate.publish.ref.';
    return { message: error.message, hint };
  }
  const pointer = await readPointer(pointerFile);
  if (typeof pointer !== 'string') return pointer;
  return {
    message: `aicr evidence publish ended well, but ${pointer}: where the evidence is cannot be told`,
    hint: `Look into the registry (${step.ref}); see aicr's output in the log.`,
  };
}

async function gatherSecrets(step: PublishStep, context: ProofContext): Promise<PublishSecrets | Trouble> {
  const { registrySecret, identityToken } = step;
  const wanted = [registrySecret, identityToken].filter((secret) => secret !== null);
  const awaited = await awaitSecrets(wanted, context);
  if ('why' in awaited) {
    return { message: awaited.why, hint: 'Create the Secret with that key, then run it again.' };
  }
  const texts = [...awaited.texts];
  const registry = registrySecret === null ? null : (texts.shift() ?? '');
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
    message: `the identity token in ${describe(identityToken)} ${faults[judged.state]}`,
    hint: 'Write a fresh token into the Secret, or set validate.publish.mode to unsigned and sign later.',
  };
}

async function push(
  step: PublishStep,
  secrets: PublishSecrets,
  context: ProofContext,
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
async function addPointer(step: PublishStep, pointer: Pointer, context: ProofContext): Promise<boolean> {
  try {
    const archive = await packEvidence(step.dir, step.archive);
    context.prove({ evidence: { sha256: archive.sha256, oci: pointer.oci, digest: pointer.digest } });
    return await captureEvidence(step.target, step.archive, archive, pointer.text, context);
  } catch (error) {
    if (context.signal.aborted) throw error;
    const why = error instanceof Error ? error.message : String(error);
    context.status.warn(`the pointer could not be added to ConfigMap ${step.target.configMap}: ${why}`);
    return false;
  }
}

function failed(
  step: PublishStep,
  { message, hint, tail = [] }: Trouble,
  context: ProofContext,
): ProofOutcome {
  const failure: LateFailure = {
    code: 'PublishFailed',
    message: `publishing failed: ${message}`,
    hint,
    tail,
  };
  context.log.error(`${failure.message} ${hint}`);
  if (step.failOnError) return { message: failure.message, failsRun: failure };
  context.status.warn(`${failure.message}. ${hint}`);
  return { message: failure.message, failures: ['publishing'] };
}
