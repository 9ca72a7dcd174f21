import { expect, it } from 'vitest';
import { planWith, thrown, withPack } from './spec.ts';

it('what one step writes is where the next one reads it, and every value arrives at its step', () => {
  const steps = planWith((spec) => {
    withPack(spec);
    spec.pack.secret = 'pull';
    const identityToken = { secret: 'cosign', key: 'jwt' };
    const publish = { enabled: true, ref: 'r.example/acme/evidence', registrySecret: 'push', identityToken };
    spec.validate = {
      ...spec.validate,
      enabled: true,
      emitEvidence: true,
      publish: { ...spec.validate.publish, ...publish },
    };
  });
  // Words and argument lists have tests of their own.
  const facts = steps.map((step) => {
    const { does, ...rest } = step;
    return 'argv' in rest ? (({ argv, ...others }) => others)(rest) : rest;
  });
  expect(facts).toEqual([
    {
      name: 'download',
      version: 'v1.2.0',
      arch: 'amd64',
      archiveName: 'aicr_1.2.0_linux_amd64.tar.gz',
      archiveUrl: 'https://mirror.example/aicr/v1.2.0/aicr_1.2.0_linux_amd64.tar.gz',
      checksumsUrl: 'https://mirror.example/aicr/v1.2.0/aicr_checksums.txt',
      pin: '',
      binary: '/tmp/aicr/aicr',
    },
    {
      name: 'pack',
      ref: 'r.example:5000/acme/pack:1',
      plainHTTP: false,
      insecureTLS: false,
      secret: {
        name: 'pull',
        namespace: 'nvidia-aicr',
        key: '.dockerconfigjson',
        dir: '/secrets/pack',
        value: 'dataPackSecret',
      },
      oras: '/runner/oras',
      dir: '/tmp/pack',
      digestFile: '/tmp/pack.digest',
    },
    {
      name: 'recipe',
      recipe: {
        file: '/tmp/recipe.yaml',
        summary: '/tmp/recipe.summary',
      },
      target: {
        configMap: 'aicr-recipe',
        release: 'gpu',
        namespace: 'nvidia-aicr',
      },
      version: 'v1.2.0',
      criteria: {
        service: 'any',
        accelerator: 'h100',
      },
      packRef: 'r.example:5000/acme/pack:1',
      packDigestFile: '/tmp/pack.digest',
    },
    {
      name: 'bundle',
      dir: '/tmp/bundle',
      recipe: {
        file: '/tmp/recipe.yaml',
        summary: '/tmp/recipe.summary',
      },
      target: {
        configMap: 'aicr-recipe',
        release: 'gpu',
        namespace: 'nvidia-aicr',
      },
    },
    {
      name: 'verify',
      dir: '/tmp/bundle',
    },
    {
      name: 'releases',
      dir: '/tmp/bundle',
      access: {
        clusterRole: 'cluster-admin',
        required: true,
      },
      version: 'v1.2.0',
      release: {
        name: 'gpu',
        namespace: 'nvidia-aicr',
      },
      existing: 'refuse',
      allowDowngrade: false,
      statusConfigMap: 'gpu-status',
      lockNamespace: 'kube-system',
      claimsFile: '/tmp/claims.json',
    },
    {
      name: 'upgradeCheck',
      helpArgv: ['/tmp/aicr/aicr', 'upgrade-check', '--help'],
      dir: '/tmp/bundle',
      reportFile: '/tmp/upgrade-check.json',
      failOn: ['blocked'],
      target: {
        configMap: 'aicr-upgrade-check',
        release: 'gpu',
        namespace: 'nvidia-aicr',
      },
      statusConfigMap: 'gpu-status',
      version: 'v1.2.0',
    },
    {
      name: 'deploy',
      dir: '/tmp/bundle',
      bestEffort: true,
      claimsFile: '/tmp/claims.json',
    },
    {
      name: 'validate',
      phases: ['deployment'],
      reportFile: '/tmp/ctrf.json',
      evidenceDir: '/tmp/evidence',
      failOnError: false,
      target: {
        configMap: 'aicr-validate-result',
        release: 'gpu',
        namespace: 'nvidia-aicr',
      },
      version: 'v1.2.0',
      access: null,
    },
    {
      name: 'evidence',
      dir: '/tmp/evidence',
      archive: '/tmp/evidence.tgz',
      target: {
        configMap: 'aicr-evidence-bundle',
        release: 'gpu',
        namespace: 'nvidia-aicr',
      },
    },
    {
      name: 'publish',
      dir: '/tmp/evidence',
      archive: '/tmp/evidence.tgz',
      ref: 'r.example/acme/evidence',
      plainHTTP: false,
      configDir: '/tmp/publish-auth',
      registrySecret: {
        name: 'push',
        namespace: 'nvidia-aicr',
        key: '.dockerconfigjson',
        dir: '/secrets/publish',
        value: 'validate.publish.registrySecret',
      },
      identityToken: {
        name: 'cosign',
        namespace: 'nvidia-aicr',
        key: 'jwt',
        dir: '/secrets/identity-token',
        value: 'validate.publish.identityTokenSecret',
      },
      failOnError: false,
      target: {
        configMap: 'aicr-evidence-bundle',
        release: 'gpu',
        namespace: 'nvidia-aicr',
      },
    },
  ]);
});

it('says in words what is not asked for', () => {
  const steps = planWith((spec) => {
    spec.criteria = { service: '', accelerator: '', intent: '', os: '', platform: '' };
    spec.upgradeCheck.failOn = [];
    spec.deploy.flags = ' ';
    spec.validate = { ...spec.validate, enabled: true, phases: ['deployment', 'performance'] };
  });
  expect(steps.map(({ does }) => does)).toEqual([
    'download aicr v1.2.0 (linux/amd64) from https://mirror.example/aicr',
    "resolve the recipe for the data pack's own criteria",
    'render the recipe into a bundle of Helm releases',
    "check every file of the bundle against the bundle's checksums",
    "look at the Helm releases in the cluster that have the names of the bundle's",
    'ask aicr whether moving to this recipe is safe (stops at no verdict)',
    "run the bundle's deploy.sh",
    'validate the cluster against the recipe (phases deployment, performance)',
  ]);
  expect(steps.map((step) => ('evidenceDir' in step ? step.evidenceDir : null)).at(-1)).toBe('');
});

it.each([
  ['https://', 'is not a URL'],
  ['https://user@mirror.example/aicr', 'holds a user name or password'],
  ['https://:pw@mirror.example/aicr', 'holds a user name or password'],
  ['https://mirror.example/aicr?a=b', 'holds a query or fragment'],
  ['https://mirror.example/aicr#a', 'holds a query or fragment'],
])('a download from %s is refused with what is wrong and an example', (baseUrl, fault) => {
  const error = thrown(() =>
    planWith((spec) => {
      spec.aicr.baseUrl = baseUrl;
    }),
  );
  expect(error).toMatchObject({
    code: 'RunSpecInvalid',
    message: `aicrSource.baseUrl ${fault}`,
    hint: 'Give the folder above the release tag, as https://mirror.example/aicr/releases/download.',
  });
});
