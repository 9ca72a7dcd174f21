import { dirname } from 'node:path';
import type { StepContext } from '../context.ts';
import type { VerifyStep } from '../planned.ts';
import { runAicr } from './aicr/run.ts';
import { bundleDigest } from './digest.ts';
import type { StepOutcome } from './outcome.ts';

/** What the exit codes of `aicr verify` mean for the user. */
const HINTS: Readonly<Record<number, string>> = {
  2: "The bundle does not meet aicr's own policy for it; this is a fault of the bundle step or of aicr, please report it.",
  3: 'The bundle is not where it was rendered: something removed it from /tmp between the steps.',
  4: 'A file of the bundle was added, removed or changed after it was rendered; nothing of it was run. Find out what else writes to /tmp of this pod.',
};

/** Lets aicr check the bundle against its checksums: closed world, any file more, less or other fails. */
export async function verify(step: VerifyStep, context: StepContext): Promise<StepOutcome> {
  await runAicr(step.argv, dirname(step.dir), context, ({ exitCode }) => ({
    code: 'VerifyFailed',
    hint: HINTS[exitCode ?? 0] ?? 'Nothing of the bundle was run; the log has all that aicr said.',
  }));
  const digest = await bundleDigest(step.dir);
  context.status.note({ bundle: { digest } });
  return { message: `every file of the bundle is as it was rendered (${digest})` };
}
