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

  it('name the Secret of the pack, and every verdict that stops the run', () => {
    const says = planWith((spec) => {
      withPack(spec);
      spec.pack.secret = 'pull';
      spec.upgradeCheck.failOn = ['blocked', 'unknown'];
    }).map(({ does }) => does);
    expect(says).toContain('pull data pack r.example:5000/acme/pack:1 with Secret pull');
    expect(says).toContain('ask aicr whether moving to this recipe is safe (stops at blocked, unknown)');
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
