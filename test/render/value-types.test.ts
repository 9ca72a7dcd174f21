import { describe, expect, test } from 'vitest';
import { keysOf, readModel } from '../../src/schema/index.ts';
import { chart, chartSources } from './chart.ts';
import { FULL, helm, valuesFile } from './helm.ts';
import { everywhere, refused } from './schema-refusals.ts';

/** Values of every type. */
const PROBES = {
  word: 'x',
  words: 'x y',
  empty: '',
  boolean: true,
  integer: 7,
  fraction: 7.5,
  zero: 0,
  negative: -1,
  huge: 1e16,
  'huge negative': -1e16,
  list: [],
  'list of texts': ['x'],
  'list of numbers': [1],
  'list of maps': [{}],
  map: {},
  'map of texts': { x: 'x' },
  'map of words': { x: 'x y' },
  'map of numbers': { x: 7 },
  'map of fractions': { x: 7.5 },
  'map of negatives': { x: -1 },
  'map of booleans': { x: true },
  'map of nulls': { x: null },
  'map of huge numbers': { x: 1e16 },
  'map of huge negatives': { x: -1e16 },
  'map of lists': { x: [] },
  'map of maps': { x: {} },
  null: null,
} as const;

type Probe = keyof typeof PROBES;

const MAP: readonly Probe[] = ['map', 'map of nulls'];

/** What each kind of value takes, beside null. */
const KINDS: Readonly<Record<string, readonly Probe[]>> = {
  text: ['word', 'words', 'empty'],
  word: ['word', 'empty'],
  'word that is not empty': ['word'],
  'text that is not empty': ['word', 'words'],
  url: [],
  enum: [],
  boolean: ['boolean'],
  count: ['integer'],
  'count from zero': ['integer', 'zero'],
  'count from zero, or empty': ['integer', 'zero', 'empty'],
  scalar: ['word', 'words', 'empty', 'boolean', 'integer', 'fraction', 'zero', 'negative'],
  quantity: ['integer', 'fraction', 'zero'],
  arguments: ['list', 'list of texts'],
  'names or maps': ['list', 'list of texts'],
  objects: ['list', 'list of maps'],
  variables: ['list'],
  object: Object.keys(PROBES).filter((name) => name.startsWith('map')) as Probe[],
  scalars: [
    ...MAP,
    'map of texts',
    'map of words',
    'map of numbers',
    'map of fractions',
    'map of negatives',
    'map of booleans',
  ],
  labels: [...MAP, 'map of texts', 'map of numbers', 'map of fractions', 'map of booleans'],
  quantities: [...MAP, 'map of numbers', 'map of fractions'],
};

/** The kind of each value; a key with values below it takes maps of these. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  text: [
    ...[
      'dataPack',
      'dataPackAuth.dockerconfigjson',
      'recipeFlags',
      'bundleFlags',
      'storageClass',
      'deployFlags',
    ],
    ...['validateFlags', 'validate.resultConfigMap', 'validate.evidenceConfigMap', 'validate.publish.mode'],
    ...[
      'validate.publish.ref',
      'validate.publish.identityTokenSecret.key',
      'recipeConfigMap',
      'statusConfigMap',
      'upgradeCheck.configMap',
    ],
    ...['job.priorityClassName', 'job.runtimeClassName', 'lock.namespace'],
  ],
  word: [
    ...[
      'accelerator',
      'service',
      'intent',
      'os',
      'platform',
      'dataPackSecret',
      'nameOverride',
      'fullnameOverride',
    ],
    ...[
      'validate.publish.identityTokenSecret.name',
      'validate.publish.registrySecret',
      'serviceAccount.name',
    ],
  ],
  'word that is not empty': ['runtimeImage', 'nodeImage', 'orasImage'],
  'text that is not empty': ['rbac.clusterRole'],
  url: ['aicrSource.baseUrl'],
  enum: ['aicrArch', 'imagePullPolicy', 'deploy.existingReleases'],
  boolean: [
    ...['dataPackPlainHTTP', 'dataPackInsecureTLS', 'environment.preinstalledDriver', 'deploy.enabled'],
    ...['validate.enabled', 'validate.failOnError', 'validate.emitEvidence', 'validate.publish.enabled'],
    ...['validate.publish.failOnError', 'validate.publish.insecureTLS', 'validate.publish.plainHTTP'],
    ...['deploy.allowDowngrade', 'job.rerunOnUpgrade', 'serviceAccount.create', 'rbac.create', 'enabled'],
    ...['upgradeCheck.enabled'],
  ],
  count: ['job.activeDeadlineSeconds', 'job.terminationGracePeriodSeconds'],
  'count from zero': ['job.backoffLimit'],
  'count from zero, or empty': ['job.ttlSecondsAfterFinished', 'lock.waitSeconds'],
  scalar: ['runId'],
  quantity: ['job.tmpSizeLimit'],
  arguments: [
    'recipeArgs',
    'bundleArgs',
    'deployArgs',
    'validateArgs',
    'validate.phases',
    'upgradeCheck.failOn',
  ],
  'names or maps': ['imagePullSecrets'],
  objects: [
    'job.tolerations',
    'job.hostAliases',
    'job.extraEnvFrom',
    'job.extraVolumes',
    'job.extraVolumeMounts',
  ],
  variables: ['job.extraEnv'],
  object: ['job.affinity', 'job.podSecurityContext', 'job.securityContext', 'global'],
  scalars: [
    ...[
      'job.nodeSelector',
      'job.annotations',
      'job.podAnnotations',
      'commonAnnotations',
      'serviceAccount.annotations',
    ],
  ],
  labels: ['job.podLabels', 'commonLabels'],
  quantities: ['job.resources.requests', 'job.resources.limits'],
};

/** Guards have the say, in words of their own. */
const UNTYPED = ['aicrVersion', 'aicrSha256', 'environment.k0sContainerd'];

const all = Object.entries(KEYS).flatMap(([kind, keys]) => keys.map((key) => [key, kind] as const));
/** Keys that have others below them. */
const GROUPS = [
  ...new Set(
    all.flatMap(([key]) => {
      const names = key.split('.').slice(0, -1);
      return names.map((_, index) => names.slice(0, index + 1).join('.'));
    }),
  ),
];

describe.concurrent('the type of a value', () => {
  test('is known for every key', async () => {
    const keys = keysOf(readModel((await chartSources()).schema)).map(({ path }) => path.join('.'));
    const known = [...all.map(([key]) => key), ...UNTYPED];
    const missing = keys.filter((key) => !known.some((one) => one === key || one.startsWith(`${key}.`)));
    expect(missing).toEqual([]);
  });

  test.each(Object.entries(PROBES))('lets the right keys take this: %s', async (probe, value) => {
    const keys = all.map(([key]) => key);
    const takes = (kind: string): boolean => probe === 'null' || (KINDS[kind] ?? []).includes(probe as Probe);
    const expected = all.filter(([, kind]) => !takes(kind)).map(([key]) => key);
    expect(await refused(everywhere(keys.map((key) => [key, value])), keys)).toEqual(expected);
  });

  // Keys of one depth at a time: below one that is no map there are no others.
  test.each(Object.entries(PROBES))(
    'lets keys with others below them take maps only: %s',
    async (probe, value) => {
      for (const depth of [1, 2, 3]) {
        const keys = GROUPS.filter((key) => key.split('.').length === depth);
        const expected = ['map', 'null'].includes(probe) ? [] : keys;
        expect(await refused(everywhere(keys.map((key) => [key, value])), keys)).toEqual(expected);
      }
    },
  );

  test('lets no unknown key stand at the root', async () => {
    const { ok, stderr } = await helm(4, ['template', 'rel', chart, '-f', valuesFile({ ...FULL, x: 1 })]);
    expect([ok, stderr]).toEqual([false, expect.stringContaining("additional properties 'x' not allowed")]);
  });
});
