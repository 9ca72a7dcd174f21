import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { StepContext } from '../../context.ts';
import type { PublishStep } from '../../planned.ts';
import { aicrEnvironment } from '../aicr/environment.ts';
import { describeExit, failureMessage } from '../aicr/failure.ts';
import { runLogged } from '../child.ts';
import { type Login, writeLogin } from '../registry/index.ts';
import { classifyPublish, pushedArtifact, type Refusal } from './refusal.ts';

/** What the one child gets that may know it. */
export interface PublishSecrets {
  /** Null: anonymous. */
  readonly registry: Login | null;
  /** Null: unsigned. */
  readonly identityToken: string | null;
}

/** Lines kept to find aicr's message in. */
const KEPT_LINES = 400;

/** How a push failed. */
export interface PushFailure extends Refusal {
  readonly tail: readonly string[];
}

/**
 * Runs `aicr evidence publish` once. The credentials are in that child's environment and nowhere else: the docker
 * config is a file for this one registry that is removed afterwards, and the token is set only where it signs.
 * @returns null when aicr ended well
 * @throws RunError `SecretInvalid` for a Secret without usable credentials; the abort reason of the context's signal
 */
export async function pushOnce(
  step: PublishStep,
  secrets: PublishSecrets,
  context: StepContext,
): Promise<PushFailure | null> {
  await rm(step.configDir, { recursive: true, force: true });
  await mkdir(step.configDir, { recursive: true, mode: 0o700 });
  try {
    await writeLogin(join(step.configDir, 'config.json'), step.ref, secrets.registry, context);
    const lines: string[] = [];
    const command = {
      argv: step.argv,
      cwd: dirname(step.dir),
      env: {
        ...aicrEnvironment,
        // Also without credentials: nothing that lies around is to be used.
        DOCKER_CONFIG: step.configDir,
        COSIGN_IDENTITY_TOKEN: secrets.identityToken ?? undefined,
      },
    };
    const { exitCode, signal, tail } = await runLogged(command, context, (line) => {
      lines.push(line);
      if (lines.length > KEPT_LINES) lines.shift();
    });
    if (exitCode === 0) return null;
    const pushed = lines.map(pushedArtifact).findLast((artifact) => artifact !== null) ?? null;
    return { ...classifyPublish(step, failureMessage(lines), describeExit(exitCode, signal), pushed), tail };
  } finally {
    await rm(step.configDir, { recursive: true, force: true });
  }
}
