import { describe, expect, test } from 'vitest';
import { refuse, render } from './helm.ts';
import { REPRESENTATIVE } from './representative.ts';

/** Values that make every guard speak, and the keys of its lines; a pack keeps the guards of criteria silent. */
const REFUSED: readonly (readonly [string, object, readonly string[]])[] = [
  [
    'criteria and releases',
    {
      intent: 'training',
      aicrVersion: 'latest',
      aicrSha256: 'x',
      environment: { k0sContainerd: true },
      deploy: { enabled: false },
      lock: { namespace: '' },
    },
    [
      'accelerator',
      'intent',
      'aicrVersion',
      'aicrSha256',
      'environment.k0sContainerd',
      'deploy.enabled',
      'lock.namespace',
    ],
  ],
  [
    'pack, proof and pod',
    {
      dataPack: 'oci://r.example/p',
      dataPackAuth: { dockerconfigjson: 'x' },
      validate: { enabled: true, phases: [], emitEvidence: true, publish: { mode: 'sealed' } },
      upgradeCheck: { failOn: ['x'] },
      validateFlags: '--push',
      recipeConfigMap: 'A',
      job: { extraEnv: [{ name: 'HOME' }], extraVolumes: [{ name: 'tmp' }] },
    },
    [
      'dataPack',
      'dataPackAuth.dockerconfigjson',
      'validate.phases',
      'validate.publish.mode',
      'upgradeCheck.failOn[0]',
      'validateFlags',
      'recipeConfigMap',
      'job.extraEnv[0]',
      'job.extraVolumes[0]',
    ],
  ],
];

describe.concurrent('an upgrade', () => {
  test.each(REPRESENTATIVE)('makes what an install makes: $name', async ({ values }) => {
    const [install, upgrade] = await Promise.all([
      render(values),
      render(values, { args: ['--is-upgrade'] }),
    ]);
    expect(upgrade.objects).toEqual(install.objects);
  });

  test.each(REFUSED)('is refused in the words of an install: %s', async (_name, values, keys) => {
    const [install, upgrade] = await Promise.all([
      refuse(values),
      refuse(values, { args: ['--is-upgrade'] }),
    ]);
    expect(upgrade).toBe(install);
    expect(upgrade.split('\n').map((line) => line.slice(0, line.indexOf(': ')))).toEqual(keys);
  });
});
