import { describe, expect, it } from 'vitest';
import type { RunSpec } from '../../src/contract/index.ts';
import { planWith, step, withPack } from './spec.ts';

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
        spec.recipe.flags = " --nodes 4\t--criteria-strict\n\r 'a\fb' \v* ";
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
