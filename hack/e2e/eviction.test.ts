import { expect } from 'vitest';
import { test } from './scenario.ts';

test('a run that outgrows job.tmpSizeLimit is evicted and not replaced', async ({ scenario }) => {
  const { values } = await scenario.pack('acme-slow');
  await scenario.packSecret();
  const release = scenario.release();
  // The component is waited for: the kubelet looks at volumes every ten seconds only.
  await release.install({
    ...values,
    deployFlags: '',
    deployArgs: ['--retries', '0'],
    job: { tmpSizeLimit: '1Mi' },
  });
  const job = await release.job();
  expect(await job.ended(), await job.story()).toBe('Failed');
  const pods = await job.pods();
  const exceeded = 'Usage of EmptyDir volume "tmp" exceeds the limit "1Mi"';
  expect(pods).toMatchObject([
    { status: { phase: 'Failed', reason: 'Evicted', message: expect.stringContaining(exceeded) } },
  ]);
  // The kubelet kills such a pod one second after SIGTERM and may forget its container at once: on a busy machine
  // there is no time for a last word. What is said, if anything, is this.
  const status = await release.status();
  if (status.finishedAt !== '') {
    expect(status).toMatchObject({ phase: 'Failed', reason: 'DiskFull' });
    expect(status.message).toContain(exceeded);
    expect(status.hint).toContain('job.tmpSizeLimit');
  }
});
