import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleRunner } from '../../hack/bundle-runner.ts';
import { type ApiServer, startApiServer } from '../../hack/cluster/index.ts';
import { VERSIONS } from '../../hack/cluster/versions.ts';
import { deliveriesOf, readExamples } from '../examples.ts';
import { buildChart } from './chart.ts';
import { type Any, FULL, helm, objectsIn, valuesFile } from './helm.ts';
import { type Kubectl, kubectlOf } from './kubectl.ts';

/** What Argo CD writes on everything it applies, and later prunes by. */
const TRACKING = 'argocd.argoproj.io/tracking-id';
const WAVE = 'argocd.argoproj.io/sync-wave';
const RBAC = 'rbac.authorization.k8s.io';
/** Kinds that the chart makes: where Argo CD looks for what is its own. */
const KINDS = 'configmaps,secrets,serviceaccounts,jobs,clusterrolebindings';

/** Values of the example and of the Application on its page. */
const deliveries = (await readExamples())
  .filter(({ place }) => /^(examples\/argocd\/|docs\/argocd\.md)/.test(place))
  .flatMap((example) => deliveriesOf(example).map(({ values }) => [example.place, values[0]] as const));

let api: ApiServer;
let kubectl: Kubectl;
let chart: string;

beforeAll(async () => {
  [api, chart] = await Promise.all([
    startApiServer(),
    bundleRunner().then((runner) => buildChart({ runner })),
  ]);
  kubectl = await kubectlOf(api.kubeconfig);
});
afterAll(() => api.stop());

/**
 * An Application without its controller: the commands that Argo CD 3 runs for a sync (util/helm/cmd.go and
 * gitops-engine/pkg/utils/kube/resource_ops.go of github.com/argoproj/argo-cd).
 */
const application = async (name: string, generation: 3 | 4) => {
  const namespace = `${name}-${generation}`;
  await kubectl(['create', 'namespace', namespace]);

  const manifests = async (values: unknown): Promise<readonly Any[]> => {
    const { ok, stdout, stderr } = await helm(
      generation,
      [
        ...['template', '.', '--name-template', name, '--namespace', namespace],
        ...['--kube-version', VERSIONS.kubernetes, '--values', valuesFile(values)],
        ...['--api-versions', 'v1', '--api-versions', 'batch/v1', '--api-versions', 'batch/v1/Job'],
        '--include-crds',
      ],
      {},
      chart,
    );
    expect([ok, stderr]).toEqual([true, '']);
    return objectsIn(stdout).map((object) => ({
      ...object,
      metadata: {
        ...object.metadata,
        annotations: { ...object.metadata.annotations, [TRACKING]: trackingId(name, object) },
      },
    }));
  };

  /** @returns name and uid of each Job there is afterwards */
  const sync = async (values: unknown, { prune = true } = {}): Promise<readonly Any[]> => {
    const targets = await manifests(values);
    const wanted = new Set(targets.map((object) => trackingId(name, object)));
    const leftOver = (await owned()).filter((live) => !wanted.has(trackingId(name, live)));
    // First what goes, the last wave first, then what comes.
    if (prune) await remove(leftOver);
    for (const object of byWave(targets)) {
      const text = JSON.stringify(object);
      // Rights first by `kubectl auth reconcile`, then like everything else: client-side.
      if (object.apiVersion.startsWith(RBAC)) await kubectl(['auth', 'reconcile', '-f', '-'], text);
      await kubectl(['apply', '-f', '-'], text);
    }
    return (await kubectl.list('jobs', '-n', namespace)).map(({ metadata }) => [metadata.name, metadata.uid]);
  };

  /** Deletes wave by wave, from the last to the first, as Argo CD also does with a whole Application. */
  const remove = async (objects: readonly Any[]): Promise<void> => {
    for (const { kind, metadata } of [...byWave(objects)].reverse()) {
      // Argo CD deletes in the foreground; nothing would end that here, where no garbage collector runs.
      await kubectl(['delete', kind, metadata.name, '-n', namespace, '--cascade=background', '--wait=false']);
    }
  };

  /** What it would prune when it was no longer in the chart: what says so itself, and of nothing else. */
  const owned = async (): Promise<readonly Any[]> =>
    (await kubectl.list(KINDS, '-n', namespace)).filter(
      (live) => live.metadata.annotations?.[TRACKING] === trackingId(name, live),
    );

  return { namespace, manifests, sync, owned };
};

const waveOf = ({ metadata }: Any): number => Number(metadata.annotations?.[WAVE] ?? 0);
const byWave = (objects: readonly Any[]): readonly Any[] =>
  [...objects].sort((one, other) => waveOf(one) - waveOf(other));

const trackingId = (application: string, { apiVersion, kind, metadata }: Any): string => {
  const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
  return `${application}:${group}/${kind}:${metadata.namespace ?? ''}/${metadata.name}`;
};

describe.each([3, 4] as const)('delivered by the commands of Argo CD, with Helm %i', (generation) => {
  test('runs once for the same values, again for changed ones, and leaves what runs wrote', async () => {
    const app = await application('sync', generation);
    const first = await app.sync(FULL);
    expect(first).toHaveLength(1);
    // What a run leaves behind is labelled for its release, and must not look like a part of the chart.
    const result = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'aicr-recipe',
        labels: { 'nvidia-aicr/written-by': 'run', 'nvidia-aicr/release': 'sync' },
      },
    };
    await kubectl(['create', '-n', app.namespace, '-f', '-'], JSON.stringify(result));

    expect(await app.sync(FULL)).toEqual(first);
    const second = await app.sync({ ...FULL, runId: '2' });
    expect(second).toHaveLength(1);
    expect(second[0]?.[0]).not.toBe(first[0]?.[0]);
    expect(await app.sync({ ...FULL, runId: '2' })).toEqual(second);

    const configMaps = await kubectl.list('configmaps', '-n', app.namespace);
    expect(configMaps.map(({ metadata }) => metadata.name)).toContain('aicr-recipe');
    expect((await app.owned()).map((live) => trackingId('sync', live)).sort()).toEqual(
      (await app.manifests({ ...FULL, runId: '2' })).map((object) => trackingId('sync', object)).sort(),
    );
  });

  test('puts back what was changed or removed by hand, without another run', async () => {
    const app = await application('heal', generation);
    const jobs = await app.sync(FULL);
    const account = 'heal-installer';
    await kubectl(['delete', 'serviceaccount', account, '-n', app.namespace]);
    await kubectl(['label', 'job', jobs[0]?.[0], '-n', app.namespace, 'app.kubernetes.io/name-']);
    expect(await app.sync(FULL)).toEqual(jobs);
    const [job] = await kubectl.list('jobs', '-n', app.namespace);
    expect(job.metadata.labels).toHaveProperty(['app.kubernetes.io/name']);
    const accounts = await kubectl.list('serviceaccounts', '-n', app.namespace);
    expect(accounts.map(({ metadata }) => metadata.name)).toContain(account);
  });

  test('stays under the limit of client-side apply, with everything on and the real program', async () => {
    const app = await application('size', generation);
    await app.sync({
      ...FULL,
      dataPack: 'r.example/p:1',
      dataPackAuth: { dockerconfigjson: '{}' },
      deployFlags: '',
      validate: {
        enabled: true,
        emitEvidence: true,
        publish: { enabled: true, mode: 'unsigned', ref: 'r.example/proof' },
      },
    });
    const sizes = (await app.owned()).map(
      ({ metadata }) => metadata.annotations['kubectl.kubernetes.io/last-applied-configuration'].length,
    );
    expect(Math.max(...sizes)).toBeGreaterThan(100 * 1024);
    // The limit is 262,144 bytes for all annotations of an object together.
    expect(Math.max(...sizes)).toBeLessThan(250 * 1024);
  });

  test('runs nothing for values whose Job was not pruned', async () => {
    const app = await application('keep', generation);
    const [first] = await app.sync(FULL);
    expect(await app.sync({ ...FULL, runId: '2' }, { prune: false })).toHaveLength(2);
    const back = await app.sync(FULL, { prune: false });
    expect(back).toHaveLength(2);
    expect(back).toContainEqual(first);
  });

  test.each(deliveries)('delivers %s, and would delete the Job before its rights', async (place, values) => {
    const app = await application(`example-${place.replace(/\W/g, '-')}`, generation);
    expect(await app.sync(values)).toHaveLength(1);
    const owned = byWave(await app.owned());
    expect(owned.filter((object) => waveOf(object) === waveOf(owned.at(-1))).map(({ kind }) => kind)).toEqual(
      ['Job'],
    );
  });
});
