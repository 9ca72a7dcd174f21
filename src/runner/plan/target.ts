import type { RunSpec } from '../../contract/index.ts';
import type { ResultTarget } from '../planned.ts';

/** Where a result goes. @param configMap its name; empty: the result is not kept */
export const targetOf = ({ release }: RunSpec, configMap: string): ResultTarget => ({
  configMap,
  release: release.name,
  namespace: release.namespace,
});
