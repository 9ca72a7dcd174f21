export { bodyAround, bodyName, withMarkers } from './bodies.ts';
export { type Area, applyMutant, type Mutant, type SourceFile } from './mutant.ts';
export { isTemplate, mutantsOf, SCHEMA } from './mutants.ts';
