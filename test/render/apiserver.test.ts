import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleRunner } from '../../hack/bundle-runner.ts';
import { callApi } from '../../hack/cluster/api.ts';
import { type ApiServer, startApiServer } from '../../hack/cluster/index.ts';
import { buildChart, chartSources } from './chart.ts';
import { type Any, FULL, helm, render, valuesFile } from './helm.ts';
import { REPRESENTATIVE } from './representative.ts';

/** Helm keeps a release in a Secret, which may have 1 MiB; half of it is our budget. */
const RELEASE_BUDGET = 512 * 1024;

let api: ApiServer;
let chart: string;

beforeAll(async () => {
  [api, chart] = await Promise.all([
    startApiServer(),
    bundleRunner().then((runner) => buildChart({ runner })),
  ]);
});
afterAll(() => api.stop());

const call = async (method: string, path: string, body?: unknown): Promise<Any> => {
  const access = { server: api.url, ca: readFileSync(api.caFile, 'utf8'), token: api.adminToken };
  return callApi(access, method, path, body);
};

/** A namespace in which the API server admits restricted pods only, and warns of Jobs whose pods are not. */
const namespaceOf = async (name: string): Promise<string> => {
  const labels = Object.fromEntries(
    ['enforce', 'warn', 'audit'].map((mode) => [`pod-security.kubernetes.io/${mode}`, 'restricted']),
  );
  const { status } = await call('POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels },
  });
  expect(status).toBe(201);
  return name;
};

const PACK = {
  ...FULL,
  dataPack: 'r.example/p:1',
  dataPackAuth: { dockerconfigjson: '{}' },
};

/** Another value for nearly every key, and another password. */
const EVERYTHING = REPRESENTATIVE.find(({ name }) => name === 'everything at once')?.values as object;

/** Everything that can be mounted. */
const PROOF = {
  ...PACK,
  deployFlags: '',
  validate: {
    enabled: true,
    emitEvidence: true,
    publish: {
      enabled: true,
      ref: 'r.example/proof',
      identityTokenSecret: { name: 'identity' },
      registrySecret: 'push',
    },
  },
};

describe.each([3, 4] as const)('with Helm %i and a real API server', (generation) => {
  let namespace: string;

  /** Runs helm against the server, and fails on any warning, of Helm's or of the server's. */
  const run = async (...args: readonly string[]): Promise<string> => {
    const { ok, stdout, stderr } = await helm(generation, [...args, '-n', namespace], {
      KUBECONFIG: api.kubeconfig,
    });
    expect([ok, stderr]).toEqual([true, '']);
    return stdout;
  };
  const install = async (values: object): Promise<string> =>
    run('install', 'rel', chart, '-f', valuesFile(values));
  const upgrade = async (...args: readonly string[]): Promise<string> =>
    run('upgrade', 'rel', chart, ...args);
  const jobs = async (): Promise<readonly { name: string; uid: string }[]> => {
    const { body } = await call('GET', `/apis/batch/v1/namespaces/${namespace}/jobs`);
    return body.items.map((job: Any) => ({ name: job.metadata.name, uid: job.metadata.uid }));
  };
  /** Kind, name and uid of every object that the release made: one that was made again has another uid. */
  const made = async (): Promise<readonly string[]> => {
    const core = `/api/v1/namespaces/${namespace}`;
    const lists = [
      `/apis/batch/v1/namespaces/${namespace}/jobs`,
      '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
    ];
    lists.push(...['configmaps', 'secrets', 'serviceaccounts'].map((kind) => `${core}/${kind}`));
    const answers = await Promise.all(lists.map((list) => call('GET', list)));
    const objects = answers.flatMap(({ body }) =>
      body.items.map(({ metadata }: Any) => ({ ...metadata, kind: body.kind.replace(/List$/, '') })),
    );
    return objects
      .filter(({ annotations }) => annotations?.['meta.helm.sh/release-namespace'] === namespace)
      .map(({ kind, name, uid }) => `${kind} ${name} ${uid}`)
      .sort();
  };
  const bindings = async (): Promise<readonly Any[]> => {
    const { body } = await call('GET', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings');
    return body.items.filter((binding: Any) => binding.subjects?.[0]?.namespace === namespace);
  };
  const fresh = async (name: string): Promise<void> => {
    namespace = await namespaceOf(`${name}-${generation}`);
  };

  test('installs without a warning, and every pod is admitted as restricted', async () => {
    await fresh('install');
    const notes = await install(PACK);
    const { objects, pod, job } = await render(PACK, { namespace, chart });
    const [made] = await jobs();
    expect(made?.name).toBe(job.metadata.name);
    expect(notes).toContain(`kubectl logs -n ${namespace} job/${job.metadata.name} -c installer -f\n`);
    const others = await Promise.all([FULL, PROOF].map((values) => render(values, { namespace, chart })));
    for (const spec of [pod, ...others.map((other) => other.pod)]) {
      const { status, body } = await call('POST', `/api/v1/namespaces/${namespace}/pods?dryRun=All`, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'installer' },
        spec,
      });
      expect([status, body.message]).toEqual([201, undefined]);
    }
    expect(objects).toHaveLength(6);
  });

  test('keeps the release within its budget, with the real program in it', async () => {
    await fresh('size');
    await install(PACK);
    const { body } = await call('GET', `/api/v1/namespaces/${namespace}/secrets/sh.helm.release.v1.rel.v1`);
    const bytes = Buffer.from(body.data.release, 'base64').length;
    expect(bytes).toBeGreaterThan(100 * 1024);
    expect(bytes).toBeLessThan(RELEASE_BUDGET);
  });

  test('leaves alone what an upgrade does not change', async () => {
    await fresh('same');
    await install(PACK);
    const before = await made();
    const { objects } = await render(PACK, { namespace, chart });
    expect(before.map((one) => one.split(' ').slice(0, 2).join(' '))).toEqual(
      objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort(),
    );
    await upgrade('-f', valuesFile(PACK));
    await upgrade('--reuse-values');
    await upgrade('--reset-then-reuse-values');
    await upgrade(
      '--reuse-values',
      '--set',
      'job.activeDeadlineSeconds=7200,job.ttlSecondsAfterFinished=600',
    );
    expect(await made()).toEqual(before);
    const [job] = await jobs();
    const { body } = await call('GET', `/apis/batch/v1/namespaces/${namespace}/jobs/${job?.name}`);
    expect(body.spec).toMatchObject({ activeDeadlineSeconds: 7200, ttlSecondsAfterFinished: 600 });
  });

  test('makes a new Job, and removes the old one, when something changes', async () => {
    await fresh('change');
    await install(FULL);
    const seen = [await jobs()];
    for (const assignment of [
      'platform=kueue',
      'runId=2',
      'job.rerunOnUpgrade=true',
      'job.rerunOnUpgrade=true',
    ]) {
      await upgrade('--reuse-values', '--set', assignment);
      seen.push(await jobs());
    }
    for (const one of seen) expect(one).toHaveLength(1);
    expect(new Set(seen.map(([job]) => job?.name)).size).toBe(5);
  });

  test('changes everything at an upgrade, also what keeps its name', async () => {
    await fresh('everything');
    await install(PACK);
    for (const values of [EVERYTHING, PACK]) {
      await upgrade('-f', valuesFile(values));
      const { objects, only } = await render(values, { namespace, chart });
      expect((await made()).map((one) => one.split(' ').slice(0, 2).join(' '))).toEqual(
        objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort(),
      );
      const { body } = await call('GET', `/api/v1/namespaces/${namespace}/secrets/rel-pack-auth`);
      expect(body.data).toEqual(only('Secret').data);
    }
  });

  test('upgrades a release whose values know less than the chart', async () => {
    await fresh('older');
    const older = await buildChart({
      templates: (await chartSources()).templates.map((file) =>
        file.path === 'values.yaml.hbs' ? { ...file, data: new Uint8Array() } : file,
      ),
    });
    await run('install', 'rel', older, '-f', valuesFile(FULL));
    await upgrade('--reuse-values');
    const [job] = await jobs();
    expect(job?.name).toBe((await render(FULL, { namespace, chart })).job.metadata.name);
  });

  test('binds another role in the place of the first', async () => {
    await fresh('role');
    await install(FULL);
    expect((await bindings()).map((binding) => binding.roleRef.name)).toEqual(['cluster-admin']);
    await upgrade('--reuse-values', '--set', 'rbac.clusterRole=edit');
    expect((await bindings()).map((binding) => binding.roleRef.name)).toEqual(['edit']);
  });

  test('uninstalls everything it made', async () => {
    await fresh('uninstall');
    await install(PACK);
    await run('uninstall', 'rel');
    expect(await jobs()).toEqual([]);
    expect(await bindings()).toEqual([]);
    for (const kind of ['configmaps', 'secrets', 'serviceaccounts']) {
      const { body } = await call('GET', `/api/v1/namespaces/${namespace}/${kind}`);
      expect(body.items.map((item: Any) => item.metadata.name)).toEqual([]);
    }
  });
});
