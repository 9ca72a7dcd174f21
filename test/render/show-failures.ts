import { aroundEach } from 'vitest';
import { describeCalls, withCalls } from './calls.ts';

/** A failing test shows the values that it rendered and the objects that came out; a mutant's failure is no news. */
if (process.env['NVIDIA_AICR_MUTATION'] === undefined) {
  aroundEach(async (run, { task }) => {
    const calls = await withCalls(run);
    if (task.result?.state === 'fail' && calls.length > 0) console.error(await describeCalls(calls));
  });
}
