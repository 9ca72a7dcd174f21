/**
 * Environment of every aicr call: no colours in captured output, and no kubeconfig or docker config that an image or
 * job.extraEnv might bring along.
 */
export const aicrEnvironment: Readonly<Record<string, string | undefined>> = {
  NO_COLOR: '1',
  KUBECONFIG: undefined,
  DOCKER_CONFIG: undefined,
};
