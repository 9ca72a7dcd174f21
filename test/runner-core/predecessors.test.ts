import { expect, test } from 'vitest';
import type { JobFacts, ReleaseJob } from '../../src/runner/ports/index.ts';
import { removePredecessors } from '../../src/runner/predecessors.ts';

const MINE = { name: 'aicr-install-5', createdAt: '2026-01-02T00:00:00Z' };

const job = (name: string, createdAt: string, more: Partial<ReleaseJob> = {}): ReleaseJob => ({
  name,
  uid: `uid of ${name}`,
  createdAt,
  deleting: false,
  ofHelm: true,
  ...more,
});

/** Names of the Jobs that are removed for a run, of those that there are. */
async function removed(jobs: readonly ReleaseJob[], facts: object | null): Promise<readonly string[]> {
  const names: string[] = [];
  const cluster = {
    releaseJobs: async () => jobs,
    deleteJob: async ({ name }: ReleaseJob) => void names.push(name),
  };
  const log = { info: () => {}, warn: () => {}, error: () => {}, child: () => {} };
  const { signal } = new AbortController();
  await removePredecessors({ cluster, log, name: MINE.name }, facts as JobFacts | null, signal);
  return names;
}

test.each([
  ['an older one', job('aicr-install-9', '2026-01-01T23:59:59Z'), true],
  ['one of the same second and a smaller name', job('aicr-install-4', MINE.createdAt), true],
  ['one of the same second and a greater name', job('aicr-install-6', MINE.createdAt), false],
  ['a newer one', job('aicr-install-1', '2026-01-02T00:00:01Z'), false],
  ["the run's own", job(MINE.name, MINE.createdAt), false],
  ['one that goes already', job('aicr-install-1', '2026-01-01T00:00:00Z', { deleting: true }), false],
  ['one that is not left to Helm', job('aicr-install-1', '2026-01-01T00:00:00Z', { ofHelm: false }), false],
] as const)("of the release's Jobs %s is removed: %#", async (_, other, gone) => {
  expect(await removed([other], MINE)).toEqual(gone ? [other.name] : []);
});

test('a run that may not read its own Job removes none', async () => {
  expect(await removed([job('aicr-install-1', '2026-01-01T00:00:00Z')], null)).toEqual([]);
});
