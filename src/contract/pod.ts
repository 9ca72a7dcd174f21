/**
 * Where chart and runner meet inside the pod. The chart's templates state the same paths; a render test
 * compares them with these constants.
 */
export const POD = {
  /** The program's ConfigMap, mounted in the first init container only. */
  programDir: '/program',
  /** Key of the program's ConfigMap: the runner, compressed with brotli. */
  programKey: 'runner.mjs.br',
  /** Key of the program's ConfigMap: the script both init containers run. */
  handoverKey: 'handover.mjs',
  /** emptyDir with loader, node, its libraries, runner.mjs and oras; read-only in the main container. */
  runnerDir: '/runner',
  /** The run's ConfigMap. */
  runSpecFile: '/run-spec/run.json',
  /** The registry Secret of the data pack, mounted whole; empty until it lands. */
  packAuthDir: '/secrets/pack',
  /** The registry Secret for the evidence, mounted whole; empty until it lands. */
  publishAuthDir: '/secrets/publish',
  /** The identity token's Secret, mounted whole; empty until it lands. */
  identityTokenDir: '/secrets/identity-token',
  /** Key of a registry Secret (type kubernetes.io/dockerconfigjson), and so the name of its file. */
  dockerConfigKey: '.dockerconfigjson',
  /** The only writable folder of the main container. */
  workDir: '/tmp',
  terminationMessageFile: '/dev/termination-log',
  serviceAccountDir: '/var/run/secrets/kubernetes.io/serviceaccount',
  mainContainer: 'installer',
} as const;

/** Environment variables the chart sets from the pod's own fields (downward API). */
export const POD_ENV = {
  podName: 'POD_NAME',
  podNamespace: 'POD_NAMESPACE',
  podUid: 'POD_UID',
  nodeName: 'NODE_NAME',
  jobName: 'JOB_NAME',
} as const;
