const PIN = 'ab'.repeat(32);

/** For each key that goes into run.json: a value, and what stands there then. */
export const RUN_CASES: Readonly<Record<string, readonly [unknown, unknown]>> = {
  accelerator: ['gb200', 'gb200'],
  service: ['acme', 'acme'],
  intent: ['inference', 'inference'],
  os: ['cos', 'cos'],
  platform: ['kueue', 'kueue'],
  dataPack: ['r.example:5000/pack@sha256:01', 'r.example:5000/pack@sha256:01'],
  dataPackPlainHTTP: [true, true],
  dataPackInsecureTLS: [true, true],
  aicrVersion: ['1.3.0-rc.1', 'v1.3.0-rc.1'],
  aicrArch: ['arm64', 'arm64'],
  aicrSha256: [
    { amd64: ` SHA256:${PIN.toUpperCase()} `, arm64: `sha256:${PIN}\n` },
    { amd64: PIN, arm64: PIN },
  ],
  'aicrSource.baseUrl': ['http://mirror.example:8080/aicr//', 'http://mirror.example:8080/aicr'],
  recipeArgs: [
    ['--nodes', '16'],
    ['--nodes', '16'],
  ],
  recipeFlags: ['--nodes  16', '--nodes  16'],
  bundleArgs: [
    ["it's", '*', '', ' a b ', '"'],
    ["it's", '*', '', ' a b ', '"'],
  ],
  bundleFlags: ['--set a:b={"c":1}', '--set a:b={"c":1}'],
  storageClass: ['gp3', 'gp3'],
  'environment.preinstalledDriver': [true, true],
  deployArgs: [
    ['--retries', '1'],
    ['--retries', '1'],
  ],
  deployFlags: ['', ''],
  validateArgs: [
    ['--node-selector', 'gpu=h100'],
    ['--node-selector', 'gpu=h100'],
  ],
  validateFlags: ['--namespace  gpu', '--namespace  gpu'],
  'deploy.enabled': [false, false],
  'deploy.existingReleases': ['adopt', 'adopt'],
  'deploy.allowDowngrade': [true, true],
  'upgradeCheck.enabled': [false, false],
  'upgradeCheck.failOn': [[], []],
  'upgradeCheck.configMap': ['', ''],
  'validate.enabled': [true, true],
  'validate.phases': [
    ['performance', 'conformance'],
    ['performance', 'conformance'],
  ],
  'validate.failOnError': [true, true],
  'validate.resultConfigMap': ['verdict', 'verdict'],
  'validate.emitEvidence': [true, true],
  'validate.evidenceConfigMap': ['proof', 'proof'],
  'validate.publish.ref': ['r.example/proof', 'r.example/proof'],
  'validate.publish.identityTokenSecret.key': ['jwt', 'jwt'],
  'validate.publish.failOnError': [true, true],
  'validate.publish.insecureTLS': [true, true],
  'validate.publish.plainHTTP': [true, true],
  recipeConfigMap: ['', ''],
  statusConfigMap: ['none', ''],
  runId: ['any text: "2"', 'any text: "2"'],
  'job.rerunOnUpgrade': [true, 1],
  'lock.namespace': ['locks', 'locks'],
  'lock.waitSeconds': [1_000_000, 1_000_000],
  'rbac.clusterRole': ['edit', 'edit'],
};

/** These only mean something beside others, and have tests of their own. */
export const JOINT_CASES = [
  'dataPackSecret',
  'dataPackAuth.dockerconfigjson',
  'validate.publish.enabled',
  'validate.publish.mode',
  'validate.publish.identityTokenSecret.name',
  'validate.publish.registrySecret',
];
