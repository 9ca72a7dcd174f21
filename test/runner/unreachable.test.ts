import { expect, test } from 'vitest';
import { makeWorld, useProgram } from './run.ts';

useProgram();

test('an API server that cannot be reached is waited for a minute; then the run says so', async () => {
  const world = await makeWorld();
  const run = await world.start({ env: { KUBERNETES_SERVICE_PORT: '1' } });
  expect(await run.ended).toMatchObject({ code: 50 });
  expect(run.output().match(/trying again for \d+ s/g)?.length).toBeGreaterThan(3);
  expect(run.termination()).toMatch(/^ClusterUnreachable: .*127\.0\.0\.1:1.*refused/);
}, 180_000);
