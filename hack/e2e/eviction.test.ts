import { expect } from 'vitest';
import { test } from './scenario.ts';

test('a run that outgrows job.tmpSizeLimit is evicted, and says by what and what to raise', async ({
  scenario,
}) => {
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
  // The kubelet kills such a pod one second after SIGTERM. On a busy machine that is too short for the status
  // document and for an exit code of its own, so only what is written first is looked at.
  const { message } = await job.termination();
  expect(message).toMatch(/^DiskFull: .*Usage of EmptyDir volume "tmp" exceeds the limit "1Mi"/);
  expect(message).toContain('job.tmpSizeLimit');
  const [pod] = await job.pods();
  expect(pod?.status).toMatchObject({ phase: 'Failed', reason: 'Evicted' });
});
