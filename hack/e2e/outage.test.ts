import { expect, inject } from 'vitest';
import { ALL_WELL, expectKept, publishing } from './proof.ts';
import { test } from './scenario.ts';

// How a check ends is the data pack's to say with the stand-in only: a real aicr starts its image.
// With failOnError the wait is the same, and the end that of the others.
test.skipIf(!inject('prepared').aicr.standIn)(
  'a registry that is down is asked again for a while; the install is none the worse for it',
  async ({ scenario }) => {
    const { values } = await scenario.pack('acme', ALL_WELL);
    await scenario.packSecret();
    const release = scenario.release();
    const ref = `${scenario.cluster.address}:9/e/nobody`;
    await release.install({
      ...publishing(values, { ref, plainHTTP: true }),
      deploy: { enabled: true },
    });
    const job = await release.job();
    expect(await job.ended(8), await job.story()).toBe('Complete');
    const status = await release.status();
    expect(status).toMatchObject({
      phase: 'SucceededWithFailures',
      components: [{ state: 'Installed' }, { state: 'Installed' }],
    });
    expect(status.message).toMatch(/publishing failed: \S+:9 cannot be reached/);
    expect(status.steps.at(-1)?.attempts).toBeGreaterThan(1);
    await expectKept(scenario);
  },
);
