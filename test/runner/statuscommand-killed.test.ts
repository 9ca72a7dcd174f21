/** What `nvidia-aicr-chart status` says of a run that could not write its end. */
import { describe, expect, test } from 'vitest';
import { documentOf } from './documents.ts';
import { installerEnded } from './pod-states.ts';
import { type PodStatus, ReleaseObjects } from './release-objects.ts';
import { statusJson } from './status-json.ts';

describe('an installer that was killed', () => {
  test.each<[string, PodStatus, string, RegExp]>([
    ['for want of memory', installerEnded(137, 'OOMKilled'), 'OOMKilled', /OOMKilled, exit code 137/],
    ['by SIGKILL', installerEnded(137, 'Error'), 'Error', /killed \(SIGKILL, exit code 137\)/],
    [
      'by something else',
      installerEnded(139, 'Error', 'core dumped'),
      'Error',
      /exit code 139 .*: core dumped/,
    ],
    [
      'with its pod, by the kubelet',
      { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' },
      'Evicted',
      /evicted: The node was low on resource: memory/,
    ],
  ])('%s counts as failed, whatever its document says', async (_, status, reason, message) => {
    const world = await ReleaseObjects.open();
    const job = await world.install();
    await world.write(documentOf(job));
    await world.pod(job.name, status);
    await world.condition(job.name, 'Failed', 'PodFailurePolicy', 'container installer failed');
    const seen = await statusJson(world);
    expect([seen.code, seen.status.phase, seen.status.reason]).toEqual([1, 'Failed', reason]);
    expect(seen.status.message).toMatch(message);
    expect(seen.status.message).toContain('it was at step deploy');
    expect(seen.status.hint).not.toBe('');
    expect(seen.status.components[1]?.state).toBe('Interrupted');
  });

  test('is told by the last lines of its log, which stand apart, and by how to run it again', async () => {
    const world = await ReleaseObjects.open();
    const job = await world.install({ runId: 'a' });
    await world.write(documentOf(job));
    // The kubelet takes the end of the log for the message, cut anywhere in a line.
    const log = 'ms\n10:01:04 verify   | ok\n\n10:01:05 deploy   | installing gpu-operator\n';
    await world.pod(job.name, installerEnded(137, 'Error', log));
    await world.condition(job.name, 'Failed', 'PodFailurePolicy', 'container installer failed');
    const { stdout } = await world.status('gpu');
    const lines = stdout.split('\n');
    expect(lines.slice(0, 5)).toEqual([
      'Release gpu in namespace ns: Failed (Error)',
      'Message:     the installer was killed (SIGKILL, exit code 137) before it could write how it ended; it was at step deploy, component 2 of 3, gpu-operator',
      'What to do:  Look at the node and its Events for what killed it, then run it again.',
      expect.stringMatching(/^Run again: {3}helm upgrade gpu .* --set-string runId=a-2 /),
      '',
    ]);
    expect(lines.slice(lines.indexOf('Last lines of what failed'), -2)).toEqual([
      'Last lines of what failed',
      '  10:01:04 verify   | ok',
      '  ',
      '  10:01:05 deploy   | installing gpu-operator',
      '',
    ]);
  });

  test('with its pod deleted has no log to point at', async () => {
    const world = await ReleaseObjects.open();
    const job = await world.install();
    await world.write(documentOf(job, { phase: 'Interrupted', finishedAt: '2026-11-30T11:00:00Z' }));
    await world.condition(job.name, 'Failed', 'BackoffLimitExceeded', 'no more');
    expect((await world.status('gpu')).stdout).toMatch(/\nLog: {9}gone with its pod\n$/);
  });

  test('with its node counts as failed by what the Job says', async () => {
    const world = await ReleaseObjects.open();
    const job = await world.install();
    await world.write(documentOf(job));
    await world.condition(
      job.name,
      'Failed',
      'DeadlineExceeded',
      'Job was active longer than specified deadline',
    );
    const { stdout, code } = await world.status('gpu');
    expect(code).toBe(1);
    expect(stdout).toContain('(DeadlineExceeded)');
    expect(stdout).toContain('Job was active longer than specified deadline');
  });

  test('but whose Job makes another pod still runs', async () => {
    const world = await ReleaseObjects.open();
    const job = await world.install();
    await world.write(documentOf(job));
    const { stdout, code } = await world.status('gpu');
    expect(code).toBe(2);
    expect(stdout).toContain('is gone; the Job makes another');
  });

  test.each<[string, PodStatus | null]>([
    [
      'evicted, and is still there',
      {
        ...installerEnded(81, 'Error'),
        reason: 'Evicted',
        conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' }],
      },
    ],
    ['drained away', null],
  ])('cleanly, because its pod was %s, still runs until the Job has failed', async (_, status) => {
    const world = await ReleaseObjects.open();
    const job = await world.install();
    const uid = status === null ? 'gone' : await world.pod(job.name, status);
    const end = {
      phase: 'Interrupted',
      reason: 'Interrupted',
      message: 'interrupted at step deploy',
    } as const;
    await world.write(
      documentOf(job, { ...end, finishedAt: '2026-11-30T11:00:00Z', pod: { name: 'p', uid, node: '' } }),
    );
    const seen = await statusJson(world);
    expect([seen.code, seen.status.phase, seen.status.reason]).toEqual([2, 'Running', '']);
    expect(seen.status.message).toMatch(
      /^the pod p is gone.*; the Job makes another\. Before: interrupted at/,
    );

    await world.condition(job.name, 'Failed', 'BackoffLimitExceeded', 'no more');
    const failed = await statusJson(world);
    expect([failed.code, failed.status.phase, failed.status.reason]).toEqual([
      1,
      'Interrupted',
      'Interrupted',
    ]);
  });

  test.each([
    [51, 'RightsMissing', 'Failed', 'Run again: helm upgrade gpu\n', 'helm upgrade gpu'],
    [85, 'Superseded', 'Interrupted', '', ''],
  ] as const)(
    'by itself with %i, and could not write why, is told by its last words',
    async (code, reason, phase, said, rerun) => {
      const world = await ReleaseObjects.open();
      const job = await world.install();
      await world.write(documentOf(job));
      const words = `${reason}: no Lease:\nforbidden\nWhat to do: Give it.\n${said}Last lines:\nError: no\n10:00:00 x`;
      await world.pod(job.name, installerEnded(code, 'Error', words));
      await world.condition(job.name, 'Failed', 'PodFailurePolicy', 'container installer failed');
      const seen = await statusJson(world);
      expect(seen.code).toBe(1);
      expect(seen.status).toMatchObject({ phase, reason, hint: 'Give it.', rerun });
      expect(seen.status.message).toBe(
        'no Lease:\nforbidden (the status document does not say so: it could not be written, or none is wanted)',
      );
      expect(seen.status.logTail).toEqual(['Error: no', '10:00:00 x']);
    },
  );

  test('after its last word, which it could not write, has succeeded', async () => {
    const world = await ReleaseObjects.open();
    const job = await world.install();
    await world.write(documentOf(job));
    await world.pod(
      job.name,
      installerEnded(0, 'Completed', 'SucceededWithFailures: nfd failed (aicr v1.2.0)\nWarning: x'),
    );
    await world.condition(job.name, 'Complete');
    const { code, status } = await statusJson(world);
    expect([code, status.phase]).toEqual([0, 'SucceededWithFailures']);
    expect(status.message).toMatch(/^nfd failed \(aicr v1\.2\.0\) \(the status document does not say so/);
  });
});
