import { expect } from 'vitest';
import { expectFailure } from './failure.ts';
import { test } from './scenario.ts';

/** Nothing listens there. */
const CLOSED_PORT = 1;
const CRITERIA = { service: 'eks', accelerator: 'h100', intent: 'training' };

// Both in one test: each waits two minutes between its tries, and so they wait together.
test('a mirror and a registry that do not answer are tried seven times, and then told apart', async ({
  scenario,
}) => {
  const nowhere = `${scenario.cluster.address}:${CLOSED_PORT}`;
  const withoutMirror = scenario.release({ name: 'no-mirror' });
  const withoutRegistry = scenario.release({ name: 'no-registry' });
  await withoutMirror.install({ ...CRITERIA, aicrSource: { baseUrl: `http://${nowhere}` } });
  await withoutRegistry.install({
    ...CRITERIA,
    dataPack: `${nowhere}/acme/pack:1`,
    dataPackPlainHTTP: true,
    // A Lease of its own, or one would wait for the other.
    lock: { namespace: 'default' },
  });

  const [mirror, registry] = await Promise.all([
    expectFailure(withoutMirror, 'DownloadFailed'),
    expectFailure(withoutRegistry, 'PackPullFailed'),
  ]);
  expect(mirror.message).toContain(`http://${nowhere}/${scenario.aicr.version}/`);
  expect(registry.message).toContain(`${nowhere}/acme/pack:1`);
  for (const { message, steps } of [mirror, registry]) {
    expect(message).toMatch(/refused.*\(tried 7 times\)/s);
    expect(steps.find(({ state }) => state === 'Failed')?.attempts).toBe(7);
  }
});
