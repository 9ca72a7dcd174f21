import { RunError } from '../../../contract/index.ts';
import type { StepContext } from '../../context.ts';
import type { DownloadStep } from '../../planned.ts';
import { aicrEnvironment } from '../aicr/environment.ts';
import { runLogged } from '../child.ts';

/**
 * Starts the fresh binary once, with `--version`: a binary that cannot run here is better known now than in the
 * middle of the run.
 * @returns what it says of itself
 * @throws RunError `BinaryNotRunnable`
 */
export async function tryBinary(step: DownloadStep, context: StepContext): Promise<string> {
  const lines: string[] = [];
  const command = { argv: [step.binary, '--version'], env: aicrEnvironment } as const;
  const { exitCode, signal, tail } = await runLogged(command, context, (line) => {
    if (line.trim() !== '') lines.push(line.trim());
  });
  if (exitCode !== 0) {
    throw notRunnable(step, `\`aicr --version\` ended with ${signal ?? `exit code ${exitCode}`}`, tail);
  }
  const says = lines[0] ?? 'it says no version';
  if (!says.includes(step.version.replace(/^v/, ''))) {
    context.status.warn(`aicrVersion is ${step.version}, but the binary of that release says: ${says}`);
  }
  return says;
}

const notRunnable = (step: DownloadStep, why: string, tail: readonly string[] = []): RunError =>
  new RunError('BinaryNotRunnable', `aicr from ${step.archiveUrl} does not start here: ${why}`, {
    hint: 'Check that the archive is the one for this CPU kind, and that /tmp is not mounted noexec.',
    tail,
  });
