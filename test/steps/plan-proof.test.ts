import { describe, expect, it } from 'vitest';
import type { RunSpec } from '../../src/contract/index.ts';
import { planWith, step, withPack } from './spec.ts';

describe('the steps that prove something', () => {
  const proving = (change: (spec: RunSpec) => void = () => {}) =>
    planWith((spec) => {
      const { publish } = spec.validate;
      spec.validate = {
        ...spec.validate,
        enabled: true,
        emitEvidence: true,
        publish: { ...publish, enabled: true, ref: 'r.example/acme/evidence', registrySecret: 'push' },
      };
      change(spec);
    });
  const target = (configMap: string) => ({ configMap, release: 'gpu', namespace: 'nvidia-aicr' });

  it('say what they do, and where their results go', () => {
    const steps = proving().slice(-3);
    expect(steps.map(({ does }) => does)).toEqual([
      'validate the cluster against the recipe (phase deployment)',
      'keep the evidence bundle in ConfigMap aicr-evidence-bundle',
      'publish the evidence, signed, to r.example/acme/evidence with Secret push',
    ]);
    expect(steps.map((each) => ('target' in each ? each.target : null))).toEqual([
      target('aicr-validate-result'),
      target('aicr-evidence-bundle'),
      target('aicr-evidence-bundle'),
    ]);
  });

  it('know where the Secrets are mounted, and which key of them is meant', () => {
    const publish = step(
      proving((spec) => {
        spec.validate.publish.identityToken = { secret: 'cosign', key: 'jwt' };
      }),
      'publish',
    );
    const namespace = 'nvidia-aicr';
    expect(publish.registrySecret).toEqual({
      name: 'push',
      namespace,
      key: '.dockerconfigjson',
      dir: '/secrets/publish',
      value: 'validate.publish.registrySecret',
    });
    expect(publish.identityToken).toEqual({
      name: 'cosign',
      namespace,
      key: 'jwt',
      dir: '/secrets/identity-token',
      value: 'validate.publish.identityTokenSecret',
    });
  });

  it('ask for no identity token when nothing is signed, and for no login when none is given', () => {
    const publish = step(
      proving((spec) => {
        const { publish } = spec.validate;
        spec.validate.publish = {
          ...publish,
          mode: 'unsigned',
          identityToken: { secret: 'cosign', key: 'jwt' },
          registrySecret: '',
        };
      }),
      'publish',
    );
    expect(publish).toMatchObject({ identityToken: null, registrySecret: null });
    expect(publish.does).toBe('publish the evidence, unsigned, to r.example/acme/evidence anonymously');
  });

  it('look at the installer’s rights only where deploy has not done so', () => {
    expect(step(proving(), 'validate').access).toBeNull();
    const alone = proving((spec) => {
      spec.deploy.enabled = false;
    });
    expect(step(alone, 'validate').access).toEqual({ clusterRole: 'cluster-admin', required: true });
  });
});

describe('the argument list of', () => {
  const aicr = '/tmp/aicr/aicr';
  const table: readonly (readonly [
    string,
    'validate' | 'publish',
    (spec: RunSpec) => void,
    readonly string[],
  ])[] = [
    [
      'validate: nothing asked for',
      'validate',
      (spec) => {
        spec.validate.enabled = true;
      },
      [
        aicr,
        'validate',
        '--recipe',
        '/tmp/recipe.yaml',
        '--phase',
        'deployment',
        '--output',
        '/tmp/ctrf.json',
      ],
    ],
    [
      'validate: phases, pack, evidence, report, flags, then args',
      'validate',
      (spec) => {
        withPack(spec);
        spec.validate = {
          ...spec.validate,
          enabled: true,
          phases: ['deployment', 'performance'],
          emitEvidence: true,
          flags: ' --timeout 9m ',
          args: ['--namespace', 'my ns'],
        };
      },
      [
        aicr,
        'validate',
        '--recipe',
        '/tmp/recipe.yaml',
        '--phase',
        'deployment',
        '--phase',
        'performance',
        '--data',
        '/tmp/pack',
        '--emit-attestation',
        '/tmp/evidence',
        '--output',
        '/tmp/ctrf.json',
        '--timeout',
        '9m',
        '--namespace',
        'my ns',
      ],
    ],
    [
      'publish: signed',
      'publish',
      (spec) => publishes(spec, {}),
      [aicr, 'evidence', 'publish', '/tmp/evidence', '--push', 'r.example/acme/e:1', '--yes'],
    ],
    [
      'publish: unsigned, to a registry of a laboratory; never --data',
      'publish',
      (spec) => {
        withPack(spec);
        publishes(spec, { mode: 'unsigned', plainHTTP: true, insecureTLS: true });
      },
      [
        aicr,
        'evidence',
        'publish',
        '/tmp/evidence',
        '--push',
        'r.example/acme/e:1',
        '--yes',
        '--no-sign',
        '--plain-http',
        '--insecure-tls',
      ],
    ],
  ];

  function publishes(spec: RunSpec, wish: Partial<RunSpec['validate']['publish']>): void {
    const publish = { ...spec.validate.publish, enabled: true, ref: 'r.example/acme/e:1', ...wish };
    spec.validate = { ...spec.validate, enabled: true, emitEvidence: true, publish };
  }

  it.each(table)('%s', (_, name, change, argv) => {
    expect(step(planWith(change), name).argv).toEqual(argv);
  });
});
