import type { RunStatus } from './generated/status.ts';

/** Names of the steps, in the order in which a run takes them. */
export type StepName = RunStatus['steps'][number]['name'];

/** Phases of a run; the last four are final. */
export type Phase = RunStatus['phase'];

export type StepState = RunStatus['steps'][number]['state'];

/** Tells whether a run in this phase has ended. */
export const isFinal = (phase: Phase): boolean =>
  phase === 'Succeeded' || phase === 'SucceededWithFailures' || phase === 'Failed' || phase === 'Interrupted';
