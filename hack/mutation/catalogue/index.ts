export { bodyAround, bodyName, withMarkers } from './bodies.ts';
export { type Area, applyMutant, isTemplate, type Mutant, SCHEMA, type SourceFile } from './mutant.ts';
export { mutantsOf } from './mutants.ts';
export { showing } from './shows.ts';
