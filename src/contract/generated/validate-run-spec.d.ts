// Made by hack/generate.ts; do not edit.
import type { RunSpec } from './run-spec.ts';

/** One way in which a document breaks the contract. */
export interface RunSpecFault {
  /** JSON pointer of the place. */
  readonly instancePath: string;
  readonly keyword: string;
  readonly message?: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Tells whether a document is a RunSpec; if not, `errors` lists every fault. */
declare const validate: {
  (document: unknown): document is RunSpec;
  errors?: readonly RunSpecFault[] | null;
};
export default validate;
export { validate };
