import type { RunStatus } from '../../src/contract/index.ts';
import { newStatus } from '../../src/runner/status/index.ts';
import { runSpec } from './spec.ts';

/** When the runs of these tests begin. */
export const BEGAN = new Date('2026-11-30T10:00:00Z');

const IDENTITY = { release: 'aicr', namespace: 'ns', job: 'aicr-install-1', pod: 'pod', podUid: 'u' };

/** The document of a run that has just begun, with one warning of the chart's. */
export const begun = (): RunStatus =>
  newStatus({ ...runSpec, warnings: ['thin criteria'] }, IDENTITY, 'node', BEGAN);

/** The document of a run that ended well after three minutes, but for what is given. */
export const done = (change: Partial<RunStatus>): RunStatus => ({
  ...begun(),
  phase: 'Succeeded',
  message: 'all is well\nand more',
  finishedAt: '2026-11-30T10:03:04Z',
  warnings: [],
  ...change,
});

/** A component of three. */
export const component = (index: number, state: RunStatus['components'][number]['state']) => ({
  index,
  of: 3,
  name: `c${index}`,
  namespace: 'ns',
  state,
  attempts: 1,
});
