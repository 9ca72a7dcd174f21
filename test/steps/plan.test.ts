import { describe, expect, it } from 'vitest';
import type { RunSpec } from '../../src/contract/index.ts';
import { plan } from '../../src/runner/plan/index.ts';
import { host, planWith, runSpec, step, withPack } from './spec.ts';

describe('the steps of a run', () => {
  it('leave the pack out when there is none', () => {
    const names = plan(runSpec(), host).map(({ name }) => name);
    expect(names).toEqual(['download', 'recipe', 'bundle', 'verify', 'releases', 'upgradeCheck', 'deploy']);
  });

  it('pull the pack before the recipe is resolved', () => {
    const names = planWith(withPack).map(({ name }) => name);
    expect(names).toEqual([
      'download',
      'pack',
      'recipe',
      'bundle',
      'verify',
      'releases',
      'upgradeCheck',
      'deploy',
    ]);
  });

  it('ask nothing about the upgrade with upgradeCheck.enabled false', () => {
    const names = planWith((spec) => {
      spec.upgradeCheck.enabled = false;
    }).map(({ name }) => name);
    expect(names).toEqual(['download', 'recipe', 'bundle', 'verify', 'releases', 'deploy']);
  });

  const publishing = { ...runSpec().validate.publish, enabled: true, ref: 'r.example/acme/evidence' };
  const install = ['download', 'recipe', 'bundle', 'verify', 'releases', 'upgradeCheck', 'deploy'];
  const cases: readonly (readonly [string, boolean, Partial<RunSpec['validate']>, readonly string[]])[] = [
    ['that is validated', true, { enabled: true }, [...install, 'validate']],
    [
      'whose evidence is kept',
      true,
      { enabled: true, emitEvidence: true },
      [...install, 'validate', 'evidence'],
    ],
    [
      'whose evidence is published',
      true,
      { enabled: true, emitEvidence: true, publish: publishing },
      [...install, 'validate', 'evidence', 'publish'],
    ],
    ['that only validates', false, { enabled: true }, ['download', 'recipe', 'validate']],
    [
      'that only validates, and publishes what it found',
      false,
      { enabled: true, emitEvidence: true, publish: publishing },
      ['download', 'recipe', 'validate', 'evidence', 'publish'],
    ],
    [
      'that is not validated, whatever else is said',
      true,
      { emitEvidence: true, publish: publishing },
      install,
    ],
    [
      'without evidence, whatever is said of publishing',
      true,
      { enabled: true, publish: publishing },
      [...install, 'validate'],
    ],
  ];
  it.each(cases)('of a run %s', (_, deploys, wish, names) => {
    const steps = planWith((spec) => {
      spec.deploy.enabled = deploys;
      spec.validate = { ...spec.validate, ...wish };
    });
    expect(steps.map(({ name }) => name)).toEqual(names);
  });

  it('each say what they do', () => {
    const says = planWith(withPack).map(({ does }) => does);
    expect(says).toEqual([
      'download aicr v1.2.0 (linux/amd64) from https://mirror.example/aicr',
      'pull data pack r.example:5000/acme/pack:1 anonymously',
      'resolve the recipe for service=any, accelerator=h100',
      'render the recipe into a bundle of Helm releases',
      "check every file of the bundle against the bundle's checksums",
      "look at the Helm releases in the cluster that have the names of the bundle's",
      'ask aicr whether moving to this recipe is safe (stops at blocked)',
      "run the bundle's deploy.sh with --best-effort --no-wait",
    ]);
  });
});

describe('the data pack', () => {
  const secretOf = (pack: Partial<RunSpec['pack']>) =>
    step(
      planWith((spec) => {
        withPack(spec);
        spec.pack = { ...spec.pack, ...pack };
      }),
      'pack',
    ).secret;

  it('is pulled with the Secret that the values name, or that the chart makes', () => {
    const made = { secret: 'gpu-pack-auth', authDigest: 'sha256:12' };
    expect(secretOf({})).toBeNull();
    expect(secretOf({ secret: 'pull' })).toEqual({
      name: 'pull',
      namespace: 'nvidia-aicr',
      key: '.dockerconfigjson',
      dir: '/secrets/pack',
      value: 'dataPackSecret',
    });
    expect(secretOf(made)).toMatchObject({ name: 'gpu-pack-auth', value: 'dataPackAuth' });
  });
});

describe('the argument list of', () => {
  const aicr = '/tmp/aicr/aicr';
  const table: readonly (readonly [
    string,
    'recipe' | 'bundle' | 'verify' | 'upgradeCheck' | 'deploy',
    (spec: RunSpec) => void,
    readonly string[],
  ])[] = [
    [
      'recipe: criteria as given',
      'recipe',
      () => {},
      [aicr, 'recipe', '--service', 'any', '--accelerator', 'h100', '--output', '/tmp/recipe.yaml'],
    ],
    [
      'recipe: all criteria, in one order whatever the order they are written in',
      'recipe',
      (spec) => {
        spec.criteria = {
          platform: 'kubeflow',
          os: 'ubuntu',
          intent: 'training',
          accelerator: 'h100',
          service: 'eks',
        };
      },
      [
        aicr,
        'recipe',
        '--service',
        'eks',
        '--accelerator',
        'h100',
        '--intent',
        'training',
        '--os',
        'ubuntu',
        '--platform',
        'kubeflow',
        '--output',
        '/tmp/recipe.yaml',
      ],
    ],
    [
      'recipe: `accelerator: any` is passed as given',
      'recipe',
      (spec) => {
        spec.criteria = { service: 'eks', accelerator: 'any', intent: '', os: '', platform: '' };
      },
      [aicr, 'recipe', '--service', 'eks', '--accelerator', 'any', '--output', '/tmp/recipe.yaml'],
    ],
    [
      'recipe: pack, flags split on whitespace, then args as they are',
      'recipe',
      (spec) => {
        withPack(spec);
        spec.criteria = { service: '', accelerator: '', intent: '', os: '', platform: '' };
        spec.recipe.flags = " --nodes 4\t--criteria-strict\n 'a b' * ";
        spec.recipe.args = ['--profile', "gpuStack=it's a $HOME *"];
      },
      [
        aicr,
        'recipe',
        '--data',
        '/tmp/pack',
        '--output',
        '/tmp/recipe.yaml',
        '--nodes',
        '4',
        '--criteria-strict',
        "'a",
        "b'",
        '*',
        '--profile',
        "gpuStack=it's a $HOME *",
      ],
    ],
    [
      'bundle: nothing asked for',
      'bundle',
      () => {},
      [aicr, 'bundle', '--recipe', '/tmp/recipe.yaml', '--deployer', 'helm', '--output', '/tmp/bundle'],
    ],
    [
      'bundle: everything asked for',
      'bundle',
      (spec) => {
        withPack(spec);
        spec.bundle = {
          preinstalledDriver: true,
          storageClass: 'fast ssd',
          flags: '--system-node-selector a=b',
          args: ['--set-json', 'gpuoperator:toolkit.env=[{"name": "A", "value": "b c"}]'],
        };
      },
      [
        aicr,
        'bundle',
        '--recipe',
        '/tmp/recipe.yaml',
        '--data',
        '/tmp/pack',
        '--deployer',
        'helm',
        '--output',
        '/tmp/bundle',
        '--set',
        'gpuoperator:driver.enabled=false',
        '--set',
        'dradriver:nvidiaDriverRoot=/',
        '--set',
        'nv-sentinel:labeler.assumeDriverInstalled=true',
        '--storage-class',
        'fast ssd',
        '--system-node-selector',
        'a=b',
        '--set-json',
        'gpuoperator:toolkit.env=[{"name": "A", "value": "b c"}]',
      ],
    ],
    ['verify: the bundle, never --data', 'verify', withPack, [aicr, 'verify', '/tmp/bundle']],
    [
      'upgrade-check: from the cluster to the recipe, never --data',
      'upgradeCheck',
      withPack,
      [
        ...[aicr, 'upgrade-check', '--from', 'cluster', '--to', '/tmp/recipe.yaml', '--deployer', 'helm'],
        ...['-t', 'json', '--fail-on-error=false'],
      ],
    ],
    [
      'deploy: the default flags',
      'deploy',
      () => {},
      ['bash', '/tmp/bundle/deploy.sh', '--best-effort', '--no-wait'],
    ],
    [
      'deploy: flags, then args',
      'deploy',
      (spec) => {
        spec.deploy = { ...spec.deploy, flags: '--no-wait', args: ['--retries', '1'] };
      },
      ['bash', '/tmp/bundle/deploy.sh', '--no-wait', '--retries', '1'],
    ],
    [
      'deploy: neither',
      'deploy',
      (spec) => {
        spec.deploy = { ...spec.deploy, flags: '', args: [] };
      },
      ['bash', '/tmp/bundle/deploy.sh'],
    ],
  ];

  it.each(table)('%s', (_, name, change, argv) => {
    expect(step(planWith(change), name).argv).toEqual(argv);
  });
});

describe('the deployment', () => {
  it.each([
    ['--best-effort --no-wait', [], true],
    ['', ['--best-effort'], true],
    ['--no-wait', [], false],
    ['--best-efforts', [], false],
  ])('with flags %j and args %j goes on after failures: %s', (flags, args, bestEffort) => {
    const deploy = step(
      planWith((spec) => {
        spec.deploy = { ...spec.deploy, flags, args };
      }),
      'deploy',
    );
    expect(deploy.bestEffort).toBe(bestEffort);
  });

  it('demands every right only with cluster-admin', () => {
    const own = planWith((spec) => {
      spec.rbac.clusterRole = 'aicr-installer';
    });
    expect(step(plan(runSpec(), host), 'releases').access).toEqual({
      clusterRole: 'cluster-admin',
      required: true,
    });
    expect(step(own, 'releases').access).toEqual({ clusterRole: 'aicr-installer', required: false });
  });

  it('is looked into for what run.json says of other releases and older versions', () => {
    const looked = step(
      planWith((spec) => {
        spec.deploy = { ...spec.deploy, existingReleases: 'adopt', allowDowngrade: true };
        spec.lock.namespace = 'locks';
      }),
      'releases',
    );
    expect(looked).toMatchObject({
      dir: '/tmp/bundle',
      version: 'v1.2.0',
      release: { name: 'gpu', namespace: 'nvidia-aicr' },
      existing: 'adopt',
      allowDowngrade: true,
      statusConfigMap: 'gpu-status',
      lockNamespace: 'locks',
    });
  });
});
