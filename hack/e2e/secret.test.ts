import { expect } from 'vitest';
import { expectFailure } from './failure.ts';
import { eventually } from './patience.ts';
import { PACK_SECRET, test } from './scenario.ts';

test.concurrent('a Secret that lands late is waited for, and the wait is told', async ({ scenario }) => {
  const { values } = await scenario.pack('acme');
  const release = scenario.release();
  await release.install(values);
  const waiting = await release.statusWhen('waiting', ({ phase }) => phase === 'WaitingForSecret');
  expect(waiting.message).toContain(`Secret ${PACK_SECRET}`);
  const job = await release.job();
  await eventually('an Event that tells of it', async () =>
    (await job.events()).find(({ message }) => message.includes(`Secret ${PACK_SECRET}`)),
  );

  await scenario.packSecret();
  expect(await job.ended(), await job.story()).toBe('Complete');
  expect(await release.status()).toMatchObject({ phase: 'Succeeded', run: { attempt: 1 } });
  expect(await job.pods()).toHaveLength(1);
});

test.concurrent('a Secret that never lands ends the run at its deadline, under its own name', async ({
  scenario,
}) => {
  const { values } = await scenario.pack('acme');
  const release = scenario.release();
  await release.install({ ...values, job: { activeDeadlineSeconds: 60 } });
  const status = await expectFailure(release, 'SecretMissing');
  expect(status.message).toContain(`Secret ${PACK_SECRET}`);
  expect(status.hint).toContain('kubectl create secret docker-registry');
});
