export { applyMutant, type Mutant, mutantsOf, type SourceFile } from './catalogue/index.ts';
export type { Project } from './run/project.ts';
export { mutate, type RunOptions } from './run/run.ts';
export type { Result, Score } from './run/score.ts';
