import { POD, type RunSpec } from '../../contract/index.ts';
import type { MountedSecret } from '../planned.ts';

/**
 * A registry's Secret, of type kubernetes.io/dockerconfigjson.
 * @param name empty: none
 * @param dir where it is mounted
 * @param value the chart's value that names it
 */
export const registrySecret = (
  { release: { namespace } }: RunSpec,
  name: string,
  dir: string,
  value: string,
): MountedSecret | null => (name === '' ? null : { name, namespace, key: POD.dockerConfigKey, dir, value });
