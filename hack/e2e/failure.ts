import { expect } from 'vitest';
import { EXIT_CODES, type ReasonCode, type RunStatus } from '../../src/contract/index.ts';
import type { ChartRelease } from './release.ts';

/**
 * Waits for the end of a release's only Job and expects a failure that is told everywhere in the same words: exit
 * code, termination message, `kubectl describe`, Events, status document, and the line that runs it again.
 * @returns the status document
 */
export async function expectFailure(release: ChartRelease, code: ReasonCode): Promise<RunStatus> {
  const job = await release.job();
  expect(await job.ended(), await job.story()).toBe('Failed');
  const status = await release.status();
  expect(status, await job.story()).toMatchObject({ phase: 'Failed', reason: code, job: { name: job.name } });
  expect(status.hint).not.toBe('');
  expect(status.rerun).toMatch(
    /^helm upgrade \S+ <your chart> -n \S+ --reuse-values --set-string runId=\S+ /,
  );
  expect(status.rerun).toContain(`runId=${status.run.id === '' ? '1' : `${status.run.id}-2`} `);

  const { exitCode, message } = await job.termination();
  expect(exitCode).toBe(EXIT_CODES[code]);
  // A long message is cut there.
  const beginning = status.message.slice(0, 600);
  expect(message.startsWith(`${code}: ${beginning}`), message).toBe(true);
  expect(message).toContain(`Run again: ${status.rerun}`);
  expect(Buffer.byteLength(message)).toBeLessThanOrEqual(4096);

  const described = await job.describe();
  for (const text of Object.values(described)) {
    const flat = text.replace(/\s+/g, ' ');
    expect(flat).toContain(beginning.replace(/\s+/g, ' ').slice(0, 200));
    expect(flat).toContain(status.rerun);
  }
  expect(await job.events()).toContainEqual(expect.objectContaining({ type: 'Warning', reason: 'Failed' }));
  expect(await release.summary()).toContain(`Reason:     ${code}`);
  return status;
}
