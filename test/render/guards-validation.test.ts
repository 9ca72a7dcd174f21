import { describe, expect, test } from 'vitest';
import { askGuards, type GuardCase } from './guards.ts';
import { FULL, refuse } from './helm.ts';

/** Values that validate, with more of `validate`. */
const validated = (more: object = {}): object => ({ ...FULL, validate: { enabled: true, ...more } });

/** Values that publish without a signature, with more of `validate.publish`. */
const published = (more: object = {}): object =>
  validated({
    emitEvidence: true,
    publish: { enabled: true, mode: 'unsigned', ref: 'r.example/proof', ...more },
  });

const REF = 'validate.publish.ref';
const TOKEN_NAME = 'validate.publish.identityTokenSecret.name';
const TOKEN_KEY = 'validate.publish.identityTokenSecret.key';
const RESULT = 'validate.resultConfigMap';
const EVIDENCE = 'validate.evidenceConfigMap';

const runs: readonly GuardCase[] = [
  ['install and validate', validated(), []],
  ['validate only', { ...validated(), deploy: { enabled: false } }, []],
  ['neither', { ...FULL, deploy: { enabled: false } }, ['deploy.enabled']],
];

const phases: readonly GuardCase[] = [
  ['one phase', validated({ phases: ['performance'] }), []],
  ['every phase by name', validated({ phases: ['deployment', 'performance', 'conformance'] }), []],
  ['all', validated({ phases: ['all'] }), []],
  ['the default phases', validated({ phases: null }), []],
  ['no phases', validated({ phases: [] }), ['validate.phases']],
  ['no phases, and no validation', { ...FULL, validate: { phases: [] } }, []],
  [
    'unknown phases',
    validated({ phases: ['gpu', 'all', 'readiness'] }),
    ['validate.phases[0]', 'validate.phases[2]'],
  ],
  ['an unknown phase, and no validation', { ...FULL, validate: { phases: ['gpu'] } }, ['validate.phases[0]']],
  ['a phase with a capital', validated({ phases: ['Deployment'] }), ['validate.phases[0]']],
  ['an empty phase', validated({ phases: [''] }), ['validate.phases[0]']],
];

const publishing: readonly GuardCase[] = [
  ['an unsigned publication', published(), []],
  ['a signed publication', published({ mode: 'signed', identityTokenSecret: { name: 'identity' } }), []],
  ['a signed one without a token', published({ mode: 'signed' }), [TOKEN_NAME]],
  ['the default mode without a token', published({ mode: null }), [TOKEN_NAME]],
  ['a signed one without a token that is off', published({ mode: 'signed', enabled: false }), []],
  ['another mode', published({ mode: 'keyless' }), ['validate.publish.mode']],
  [
    'another mode, and no validation',
    { ...FULL, validate: { publish: { mode: '' } } },
    ['validate.publish.mode'],
  ],
  [
    'a publication without validation',
    {
      ...FULL,
      validate: { emitEvidence: true, publish: { enabled: true, mode: 'unsigned', ref: 'r.example/a' } },
    },
    ['validate.publish.enabled'],
  ],
  [
    'a publication without evidence',
    validated({ publish: { enabled: true, mode: 'unsigned', ref: 'r.example/a' } }),
    ['validate.publish.enabled'],
  ],
  [
    'a publication alone',
    { ...FULL, validate: { publish: { enabled: true } } },
    ['validate.publish.enabled', 'validate.publish.enabled', REF, TOKEN_NAME],
  ],
  ['a key of a token', published({ identityTokenSecret: { key: '.id_token-1' } }), []],
  ['an empty key', published({ identityTokenSecret: { key: '' } }), [TOKEN_KEY]],
  ['a key with a slash', published({ identityTokenSecret: { key: 'a/b' } }), [TOKEN_KEY]],
  ['a key that leads out', published({ identityTokenSecret: { key: '..data' } }), [TOKEN_KEY]],
  ['a key with a line break', published({ identityTokenSecret: { key: 'a\nb' } }), [TOKEN_KEY]],
];

const references: readonly GuardCase[] = [
  ...[
    'ghcr.io/acme/aicr-evidence',
    'ghcr.io/acme/aicr-evidence:v1_A.b-c',
    'localhost/proof',
    'localhost:5000/proof',
    'registry:5000/a/b__c/d-e.f',
    '10.0.0.1:5000/proof',
    'Registry.Example.Com/proof',
  ].map((ref): GuardCase => [`the reference ${ref}`, published({ ref }), []]),
  ...[
    '',
    'oci://ghcr.io/acme/proof',
    'https://ghcr.io/acme/proof',
    'ghcr.io/acme/proof ',
    'acme',
    'acme/proof',
    'acme/proof:v1.2',
    'ghcr.io',
    'ghcr.io/',
    'ghcr.io/Acme/proof',
    'ghcr.io/acme/proof:',
    `ghcr.io/acme/proof@sha256:${'0'.repeat(64)}`,
    'ghcr.io/acme//proof',
    'ghcr.io:port/acme/proof',
    'ghcr.io/acme/proof:a/b',
    `ghcr.io/acme/proof:${'a'.repeat(129)}`,
  ].map((ref): GuardCase => [`the reference "${ref}"`, published({ ref }), [REF]]),
  ['a broken reference that is off', published({ ref: 'oci://a', enabled: false }), []],
];

const words: readonly GuardCase[] = [
  [
    'arguments for aicr validate',
    {
      ...validated(),
      validateArgs: ['--namespace', 'ns', '--toleration', 'a=b:NoSchedule', '-x', '--outputs'],
    },
    [],
  ],
  ['flags for aicr validate', { ...validated(), validateFlags: ' --fail-on-error=false  --no-cleanup ' }, []],
  [
    'arguments that the installer sets',
    {
      ...FULL,
      validateArgs: ['--recipe', 'a', '-r=a', '--data=a', '-output', '-o', '--emit-attestation', 'a'],
    },
    [0, 2, 3, 4, 5, 6].map((index) => `validateArgs[${index}]`),
  ],
  ['a flag that the installer sets', { ...FULL, validateFlags: '--timeout 1m -o /x' }, ['validateFlags']],
  ['another configuration', { ...FULL, validateArgs: ['--config', '/x'] }, ['validateArgs[0]']],
  ['a push of its own', { ...FULL, validateFlags: '--push r.example/p' }, ['validateFlags']],
  ['a phase past validate.phases', { ...FULL, validateFlags: '--phase=all' }, ['validateFlags']],
  ['no cluster', { ...validated(), validateArgs: ['--no-cluster'] }, []],
  [
    'no cluster, with evidence',
    { ...validated({ emitEvidence: true }), validateArgs: ['--no-cluster'] },
    ['validateArgs[0]'],
  ],
  [
    'words that only look like flags',
    { ...validated(), validateArgs: ['push', 'a--phase', '---o', '--push-x'] },
    [],
  ],
];

const names: readonly GuardCase[] = [
  ['names of results', validated({ resultConfigMap: 'a', evidenceConfigMap: 'b', emitEvidence: true }), []],
  ['no name of a result', validated({ resultConfigMap: '' }), [RESULT]],
  ['no name of evidence', validated({ evidenceConfigMap: '' }), [EVIDENCE]],
  [
    'neither, and no validation',
    { ...FULL, validate: { resultConfigMap: '', evidenceConfigMap: '' } },
    [EVIDENCE, RESULT],
  ],
  ['one name for result and recipe', validated({ resultConfigMap: 'aicr-recipe' }), [RESULT]],
  ['the same, and no validation', { ...FULL, validate: { resultConfigMap: 'aicr-recipe' } }, []],
  [
    'one name for evidence and status',
    validated({ evidenceConfigMap: 'rel-status', emitEvidence: true }),
    [EVIDENCE],
  ],
  ['the same, and no evidence', validated({ evidenceConfigMap: 'rel-status' }), []],
  ['a result with capitals', validated({ resultConfigMap: 'Verdict' }), [RESULT]],
  [
    'evidence without room for a number',
    validated({ evidenceConfigMap: 'e'.repeat(249), emitEvidence: true }),
    [EVIDENCE],
  ],
  [
    'evidence with room for a number',
    validated({ evidenceConfigMap: 'e'.repeat(248), emitEvidence: true }),
    [],
  ],
  [
    'the name of a part of the result',
    { ...validated(), recipeConfigMap: 'aicr-validate-result-2' },
    ['recipeConfigMap'],
  ],
  ['the name of a part of the recipe', validated({ resultConfigMap: 'aicr-recipe-1' }), [RESULT]],
  ['the status as a part of the recipe', { ...FULL, statusConfigMap: 'aicr-recipe-10' }, ['statusConfigMap']],
  ['the recipe as a part of the status', { ...FULL, recipeConfigMap: 'rel-status-1' }, []],
  [
    'a number that is no part',
    validated({ resultConfigMap: 'aicr-recipe1', evidenceConfigMap: 'aicr-recipe-1a' }),
    [],
  ],
];

const UPGRADE = 'upgradeCheck.configMap';
const upgrades: readonly GuardCase[] = [
  ['verdicts', { ...FULL, upgradeCheck: { failOn: ['blocked', 'manual', 'unknown', 'unversioned'] } }, []],
  ['no verdict at all', { ...FULL, upgradeCheck: { failOn: [] } }, []],
  [
    'words that are no verdicts that stop',
    { ...FULL, upgradeCheck: { enabled: false, failOn: ['safe', 'blocked', 'Blocked'] } },
    ['upgradeCheck.failOn[0]', 'upgradeCheck.failOn[2]'],
  ],
  ['no name of the upgrade check', { ...FULL, upgradeCheck: { configMap: '' } }, []],
  ['an upgrade check with capitals', { ...FULL, upgradeCheck: { configMap: 'Check' } }, [UPGRADE]],
  [
    'one name for upgrade check and recipe',
    { ...FULL, upgradeCheck: { configMap: 'aicr-recipe' } },
    [UPGRADE],
  ],
  [
    'the same, and no upgrade check',
    { ...FULL, upgradeCheck: { enabled: false, configMap: 'aicr-recipe' } },
    [],
  ],
  [
    'the same, and nothing installed',
    {
      ...FULL,
      deploy: { enabled: false },
      validate: { enabled: true },
      deployFlags: '',
      upgradeCheck: { configMap: 'aicr-recipe' },
    },
    [],
  ],
  [
    'the upgrade check as a part of the recipe',
    { ...FULL, upgradeCheck: { configMap: 'aicr-recipe-1' } },
    [UPGRADE],
  ],
  [
    'the recipe as a part of the upgrade check',
    { ...FULL, recipeConfigMap: 'aicr-upgrade-check-3' },
    ['recipeConfigMap'],
  ],
  [
    'an upgrade check without room for a number',
    { ...FULL, upgradeCheck: { configMap: 'u'.repeat(249) } },
    [UPGRADE],
  ],
];

const mounts: readonly GuardCase[] = ['publish-auth', 'identity-token'].map((name) => [
  `a volume named ${name}`,
  { ...FULL, job: { extraVolumes: [{ name, emptyDir: {} }] } },
  ['job.extraVolumes[0]'],
]);
const folders: readonly GuardCase[] = ['/secrets/publish', '/secrets/identity-token/'].map((mountPath) => [
  `a mount over ${mountPath}`,
  { ...FULL, job: { extraVolumeMounts: [{ name: 'mine', mountPath }] } },
  ['job.extraVolumeMounts[0]'],
]);

describe.concurrent('guards of the validation', () => {
  test.each([
    ...runs,
    ...phases,
    ...publishing,
    ...references,
    ...words,
    ...names,
    ...upgrades,
    ...mounts,
    ...folders,
  ])('%s', askGuards);

  test('name the phases there are', async () => {
    expect(await refuse(validated({ phases: ['gpu'] }))).toBe(
      'validate.phases[0]: "gpu" is not a phase; use deployment, performance, conformance, or all',
    );
  });

  test('give the reference without its scheme', async () => {
    expect(await refuse(published({ ref: 'oci://r.example:5000/p:1' }))).toMatch(/: r\.example:5000\/p:1$/);
  });

  test('do not show a password in a reference', async () => {
    for (const rest of ['r.example/p', 'r.example/p :1', 'r.example']) {
      for (const scheme of ['', 'https://']) {
        const ref = `${scheme}robot:hunter2@${rest}`;
        expect(await refuse(published({ ref })), ref).not.toContain('hunter2');
      }
    }
  });
});
