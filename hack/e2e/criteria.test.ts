import { describe, expect } from 'vitest';
import { expectFailure } from './failure.ts';
import { test } from './scenario.ts';

describe.each([4, 3] as const)('helm %s', (helm) => {
  test('criteria without a recipe fail at once in the words of aicr, and the line that was printed runs it again', async ({
    scenario,
  }) => {
    const { values } = await scenario.pack('acme');
    await scenario.packSecret();
    const release = scenario.release({ helm });
    // The pack's recipe is for training.
    await release.install({ ...values, intent: 'inference' });
    const status = await expectFailure(release, 'CriteriaRefused');
    expect(status.message).toMatch(/^\[INVALID_REQUEST\] .*'?inference'?/);
    expect(status.steps.find(({ name }) => name === 'recipe')).toMatchObject({
      state: 'Failed',
      attempts: 1,
    });
    expect(await release.recipe()).toBeUndefined();

    const failed = await release.job();
    await release.rerun(status.rerun, '--set', 'intent=training');
    const job = await release.job();
    expect(job.name).not.toBe(failed.name);
    expect(await job.ended(), await job.story()).toBe('Complete');
    expect(await release.status()).toMatchObject({
      phase: 'Succeeded',
      run: { id: '1' },
      job: { name: job.name },
    });
    // What the failed run wrote is still there.
    expect(await release.statusOf(failed)).toMatchObject({ phase: 'Failed', reason: 'CriteriaRefused' });
  });
});

test('a value that aicr does not know is refused with its name', async ({ scenario }) => {
  const release = scenario.release();
  await release.install({ service: scenario.word, accelerator: 'h100', intent: 'training' });
  const status = await expectFailure(release, 'CriteriaRefused');
  expect(status.message).toContain(`invalid service type: ${scenario.word}`);
});
