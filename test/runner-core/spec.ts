import type { RunSpec } from '../../src/contract/index.ts';
import { ordinaryRunSpec } from '../run-spec.ts';

/** run.json of an ordinary run. */
export const runSpec: RunSpec = ordinaryRunSpec();
