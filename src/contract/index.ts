export * from './errors.ts';
export * from './explanations.ts';
export type { RunSpec } from './generated/run-spec.ts';
export type {
  ComponentStatus,
  ResultRef,
  RunStatus,
  StepStatus,
  UpgradeVerdict,
} from './generated/status.ts';
export * from './pod.ts';
export * from './rerun.ts';
export * from './results.ts';
export * from './steps.ts';
