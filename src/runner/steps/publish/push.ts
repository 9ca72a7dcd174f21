import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { aicrEnvironment } from '../aicr/environment.ts';
import { describeExit, failureMessage } from '../aicr/failure.ts';
import { runLogged } from '../child.ts';
import { type DockerConfig, loginFor, noLogin } from '../pack/credentials.ts';
import { registryOf } from '../pack/reference.ts';
import type { ProofContext } from '../proof.ts';
import type { PublishStep } from './planned.ts';
import { classifyPublish, pushedArtifact, type Refusal } from './refusal.ts';

/** What the one child gets that may know it. */
export interface PublishSecrets {
  /** Content of the registry Secret's docker config; null: anonymous. */
  readonly registry: string | null;
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
  context: ProofContext,
): Promise<PushFailure | null> {
  const config = await dockerConfig(step, secrets.registry, context);
  await rm(step.configDir, { recursive: true, force: true });
  await mkdir(step.configDir, { recursive: true, mode: 0o700 });
  try {
    await writeFile(join(step.configDir, 'config.json'), JSON.stringify(config), { mode: 0o600, flag: 'wx' });
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

async function dockerConfig(
  step: PublishStep,
  text: string | null,
  context: ProofContext,
): Promise<DockerConfig> {
  if (step.registrySecret === null || text === null) return noLogin;
  const { config, secrets } = await loginFor(text, registryOf(step.ref), step.registrySecret.name);
  for (const secret of secrets) context.mask(secret);
  return config;
}
