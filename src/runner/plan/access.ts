import type { RunSpec } from '../../contract/index.ts';
import type { Access } from '../planned.ts';

/** What the installer is bound to; that it is not enough is an error only with the role that the chart means. */
export const accessOf = ({ rbac: { clusterRole } }: RunSpec): Access => ({
  clusterRole,
  required: clusterRole === 'cluster-admin',
});
