import { expect, test } from 'vitest';
import { follow } from '../../src/cli/status/follow.ts';
import type { Seen } from '../../src/cli/status/judge.ts';
import { ClusterFailure } from '../../src/cli/status/kubectl.ts';
import { documentOf } from '../runner/documents.ts';

const JOB = { name: 'gpu-install-1', uid: 'u' };
const running: Seen = { status: documentOf(JOB), exit: 2 };
const done: Seen = {
  status: documentOf(JOB, { phase: 'Succeeded', message: 'all is well', updatedAt: '2026-11-30T10:05:00Z' }),
  exit: 0,
};
const silence = new ClusterFailure('connection refused');

/** Follows these answers, over a clock that goes on with each sleep; after the last one it stays silent. */
const following = async (answers: readonly (Seen | Error)[]) => {
  const said: string[] = [];
  let now = 0;
  let next = 0;
  const ended = follow({
    read: async () => {
      const answer = answers[next] ?? silence;
      next += 1;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    say: (line) => said.push(line),
    sleep: async (milliseconds) => {
      now += milliseconds;
    },
    now: () => now,
  });
  return { ended: await ended.catch((error: unknown) => error), said, waited: now };
};

test('a cluster that is away for a while does not end the following, and is told of once', async () => {
  const { ended, said } = await following([running, silence, silence, silence, running, silence, done]);
  expect(ended).toBe(done);
  expect(said.filter((line) => line.includes('connection refused'))).toHaveLength(2);
  expect(said.at(-1)).toBe('10:05:00 Succeeded: all is well');
});

test('a cluster that stays away ends the following', async () => {
  const { ended, waited } = await following([running]);
  expect(ended).toBe(silence);
  expect(waited).toBeGreaterThan(120_000);
});

test('a cluster that never answered is not waited for', async () => {
  const { ended, waited, said } = await following([]);
  expect([ended, waited, said]).toEqual([silence, 0, []]);
});

test('what is no silence of the cluster ends the following', async () => {
  const fault = new Error('no such release');
  expect((await following([running, fault])).ended).toBe(fault);
});

test('nothing is said twice, and a newer run is said from its beginning', async () => {
  const job = { name: 'gpu-install-2', uid: 'v' };
  const newer: Seen = { status: documentOf(job), exit: 2 };
  const end: Seen = { status: documentOf(job, { phase: 'Failed' }), exit: 1 };
  const { said } = await following([running, running, newer, newer, end]);
  expect(said.filter((line) => line.includes(' run gpu-install-'))).toEqual([
    '10:01:05 run gpu-install-1',
    '10:01:05 run gpu-install-2',
  ]);
  expect(said.filter((line) => line.includes('step deploy: Running'))).toHaveLength(2);
});
