import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import type { RunSpec } from '../../src/contract/index.ts';
import { keysOf, readModel } from '../../src/schema/index.ts';
import { chartSources } from './chart.ts';
import { type Any, FULL, render } from './helm.ts';
import { JOINT_CASES, RUN_CASES } from './run-cases.ts';

const contract = JSON.parse(
  await readFile(new URL('../../src/contract/run-spec.schema.json', import.meta.url), 'utf8'),
) as object;
const validate = new Ajv({ allErrors: true }).compile(contract);
const keys = keysOf(readModel((await chartSources()).schema));

/** run.json of the values, checked against the contract. */
const runSpecOf = async (values: unknown, options = {}): Promise<RunSpec> => {
  const { runSpec } = await render(values, options);
  validate(runSpec);
  expect(validate.errors ?? []).toEqual([]);
  return runSpec;
};

/** What Flux's substitution looks for. */
const BRACED = ['$', '{HOME}'].join('');

const AUTH = '{"auths":{"r.example":{"auth":"dTpw"}}}';

/** Without --no-wait, of which validation warns. */
const BASE = { ...FULL, platform: 'dynamo', deployFlags: '--retries 1' };
const VALIDATED = { ...BASE, validate: { enabled: true } };

/** Published as far as the values go. */
const published = (publish: Any): Any => ({
  ...BASE,
  validate: {
    enabled: true,
    emitEvidence: true,
    publish: { enabled: true, ref: 'r.example/proof', registrySecret: 'push', ...publish },
  },
});

const nest = (path: readonly string[], value: unknown): Any =>
  path.reduceRight((inner: unknown, name) => ({ [name]: inner }), value);

const merge = (one: Any, other: Any): Any => {
  const isMap = (value: unknown): boolean =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isMap(one) || !isMap(other)) return other;
  const merged = Object.entries(other).map(([name, value]) => [name, merge(one[name], value)]);
  return { ...one, ...Object.fromEntries(merged) };
};

const at = (object: Any, path: string): unknown =>
  path.split('.').reduce((inner, name) => inner?.[name], object);

const withAt = (object: Any, path: string, value: unknown): Any => {
  const copy = structuredClone(object);
  const steps = path.split('.');
  const last = steps.pop() ?? '';
  steps.reduce((inner, name) => inner[name], copy)[last] = value;
  return copy;
};

describe.concurrent('run.json', () => {
  test('states every key of the contract by default', async () => {
    expect(await runSpecOf(FULL)).toEqual({
      version: 1,
      chart: { version: '0.3.0' },
      release: { name: 'rel', namespace: 'ns', fullname: 'rel' },
      run: { id: '', revision: 0 },
      aicr: {
        version: 'v1.2.0',
        arch: 'auto',
        sha256: { amd64: '', arm64: '' },
        baseUrl: 'https://github.com/NVIDIA/aicr/releases/download',
      },
      criteria: { ...FULL, platform: '' },
      pack: { ref: '', plainHTTP: false, insecureTLS: false, secret: '', authDigest: '' },
      recipe: { args: [], flags: '', configMap: 'aicr-recipe' },
      bundle: { args: [], flags: '', storageClass: '', preinstalledDriver: false },
      deploy: {
        enabled: true,
        args: [],
        flags: '--best-effort --no-wait',
        existingReleases: 'refuse',
        allowDowngrade: false,
      },
      upgradeCheck: { enabled: true, failOn: ['blocked'], configMap: 'aicr-upgrade-check' },
      validate: {
        enabled: false,
        phases: ['deployment'],
        failOnError: false,
        configMap: 'aicr-validate-result',
        args: [],
        flags: '',
        emitEvidence: false,
        evidenceConfigMap: 'aicr-evidence-bundle',
        publish: {
          enabled: false,
          mode: 'signed',
          ref: '',
          identityToken: { secret: '', key: 'token' },
          registrySecret: '',
          failOnError: false,
          insecureTLS: false,
          plainHTTP: false,
        },
      },
      status: { configMap: 'rel-status' },
      environment: { secret: [], plain: [], fromSecrets: false },
      lock: { namespace: 'kube-system', waitSeconds: null },
      rbac: { clusterRole: 'cluster-admin' },
      warnings: [],
    });
  });

  test('has a case here for every value that goes into it', () => {
    const inRunSpec = keys.filter((key) => key.runSpec !== '').map((key) => key.path.join('.'));
    expect([...Object.keys(RUN_CASES), ...JOINT_CASES].sort()).toEqual(inRunSpec.sort());
  });

  test.each(Object.entries(RUN_CASES))(
    '%s changes its place and nothing else',
    async (name, [value, expected]) => {
      const key = keys.find((one) => one.path.join('.') === name);
      const base = name === 'deploy.enabled' ? VALIDATED : BASE;
      const [before, after] = await Promise.all([
        runSpecOf(base),
        runSpecOf(merge(base, nest(name.split('.'), value))),
      ]);
      expect(at(after, key?.runSpec ?? '')).toEqual(expected);
      expect(at(before, key?.runSpec ?? '')).not.toEqual(expected);
      expect(after).toEqual(withAt(before, key?.runSpec ?? '', expected));
    },
  );

  test('names the Secret of the data pack, given or made', async () => {
    const pack = { ...FULL, dataPack: 'r.example/p:1' };
    const [open, given, made] = await Promise.all([
      runSpecOf(pack),
      runSpecOf({ ...pack, dataPackSecret: 'pull' }),
      runSpecOf({ ...pack, dataPackAuth: { dockerconfigjson: AUTH } }),
    ]);
    expect(open.pack).toEqual({
      ref: 'r.example/p:1',
      plainHTTP: false,
      insecureTLS: false,
      secret: '',
      authDigest: '',
    });
    expect(given.pack).toEqual({ ...open.pack, secret: 'pull' });
    expect(made.pack.secret).toBe('rel-pack-auth');
    expect(made.pack.authDigest).toBe(createHash('sha256').update(AUTH).digest('hex'));
    const corrected = await runSpecOf({ ...pack, dataPackAuth: { dockerconfigjson: `${AUTH} ` } });
    expect(corrected.pack.authDigest).not.toBe(made.pack.authDigest);
  });

  test('has no Secret without a data pack', async () => {
    const none = { ref: '', plainHTTP: false, insecureTLS: false, secret: '', authDigest: '' };
    expect((await runSpecOf({ ...FULL, dataPackSecret: 'pull' })).pack).toEqual(none);
    expect((await runSpecOf({ ...FULL, dataPackAuth: { dockerconfigjson: AUTH } })).pack).toEqual(none);
  });

  test('names the Secrets of a signed publication', async () => {
    const spec = await runSpecOf(published({ identityTokenSecret: { name: 'identity', key: 'jwt' } }));
    expect(spec.validate.publish).toEqual({
      enabled: true,
      mode: 'signed',
      ref: 'r.example/proof',
      identityToken: { secret: 'identity', key: 'jwt' },
      registrySecret: 'push',
      failOnError: false,
      insecureTLS: false,
      plainHTTP: false,
    });
  });

  test('names no identity token when the publication is unsigned', async () => {
    const { publish } = (
      await runSpecOf(published({ mode: 'unsigned', identityTokenSecret: { name: 'identity' } }))
    ).validate;
    expect(publish.mode).toBe('unsigned');
    expect(publish.identityToken).toEqual({ secret: '', key: 'token' });
    expect(publish.registrySecret).toBe('push');
  });

  test.each([
    ['publishing is off', { validate: { enabled: true, publish: { enabled: false } } }],
    ['validation is off', { validate: { enabled: false, publish: { enabled: false } } }],
  ])('names no Secret of the evidence when %s', async (_name, off) => {
    const on = published({ identityTokenSecret: { name: 'identity' } });
    const { publish } = (await runSpecOf(merge(on, off))).validate;
    expect(publish.enabled).toBe(false);
    expect(publish.identityToken.secret).toBe('');
    expect(publish.registrySecret).toBe('');
  });

  test('takes a version with and without its v for the same', async () => {
    const [plain, withV] = await Promise.all([
      render({ ...FULL, aicrVersion: '1.3.0' }),
      render({ ...FULL, aicrVersion: 'v1.3.0' }),
    ]);
    expect(plain.objects).toEqual(withV.objects);
  });

  test.each([
    ['a number', 2, '2'],
    ['a large number', 1_000_000, '1000000'],
    ['a boolean', false, 'false'],
  ])('takes %s as the text of runId', async (_name, runId, id) => {
    expect((await runSpecOf({ ...FULL, runId })).run.id).toBe(id);
  });

  test('tells no waiting at all from waiting until the deadline', async () => {
    expect((await runSpecOf({ ...FULL, lock: { waitSeconds: 0 } })).lock.waitSeconds).toBe(0);
    expect((await runSpecOf({ ...FULL, lock: { waitSeconds: '' } })).lock.waitSeconds).toBeNull();
  });

  test('carries any text unchanged', async () => {
    const texts = [
      `$(HOME) $$ $X ${BRACED} \`ls\` $(ls)`,
      'a\nb\tc\r\n',
      '\u0000\u0007\u001b\u007f\u0085\u00a0\u2028\ufeff',
      '\'"\\ {{ .Values.x }} <&>',
      '- a: b # c',
      'ünïcødé 日本 😀',
      '1e6',
      ' ',
      '',
    ];
    const spec = await runSpecOf({ ...FULL, deployArgs: texts, runId: texts.join('') });
    expect(spec.deploy.args).toEqual(texts);
    expect(spec.run.id).toBe(texts.join(''));
  });

  test('holds nothing that Flux would substitute', async () => {
    const { configMapWith } = await render({ ...FULL, recipeArgs: [BRACED] });
    expect(configMapWith('run.json').data['run.json']).not.toContain('$');
  });

  test('numbers the run by revision only when each revision is to run', async () => {
    expect((await runSpecOf({ ...FULL, job: { rerunOnUpgrade: true } })).run).toEqual({
      id: '',
      revision: 1,
    });
  });
});
