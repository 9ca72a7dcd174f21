import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type ApiServer, startApiServer } from '../../hack/cluster/index.ts';
import { chart } from './chart.ts';
import { type Any, helm, objectsIn, renderObjects, valuesFile } from './helm.ts';
import { type Kubectl, kubectlOf } from './kubectl.ts';
import { REPRESENTATIVE } from './representative.ts';
import { umbrella } from './umbrella.ts';

let api: ApiServer;
let kubectl: Kubectl;

/** Restricted pods only; Jobs whose pods are not are warned of. */
const namespace = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name: 'ns',
    labels: {
      'pod-security.kubernetes.io/enforce': 'restricted',
      'pod-security.kubernetes.io/warn': 'restricted',
    },
  },
};

beforeAll(async () => {
  api = await startApiServer();
  kubectl = await kubectlOf(api.kubeconfig);
  await kubectl(['create', '-f', '-'], JSON.stringify(namespace));
  await kubectl(['create', 'serviceaccount', 'default', '-n', 'ns']);
});
afterAll(() => api.stop());

/** What the server says to objects that it would make; with --warnings-as-errors it fails on any warning, too. */
const make = async (objects: readonly Any[]): Promise<string> => {
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
  const how = ['--dry-run=server', '--validate=strict', '--warnings-as-errors', '-n', 'ns', '-f', '-'];
  return kubectl(['create', ...how], list);
};

/** The Job's pod, with a ServiceAccount that is there. */
const podOf = (objects: readonly Any[]): Any => {
  const { template } = objects.find((object) => object.kind === 'Job').spec;
  const spec = { ...template.spec, serviceAccountName: 'default' };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { ...template.metadata, name: 'installer' }, spec };
};

describe('a real API server', () => {
  test.each(REPRESENTATIVE)('takes all objects of $name, and admits their pod as restricted', async (one) => {
    const { objects } = await renderObjects(one.values);
    const said = await make([...objects, podOf(objects)]);
    expect(said.trim().split('\n')).toHaveLength(objects.length + 1);
  });

  test.each([
    [
      'a field that is not there',
      (job: Any) => Object.assign(job.spec, { retries: 1 }),
      'unknown field "retries"',
    ],
    [
      'a pod that is not restricted',
      (job: Any) =>
        Object.assign(job.spec.template.spec.containers[0].securityContext, {
          allowPrivilegeEscalation: true,
        }),
      'violate PodSecurity',
    ],
  ])('would not take %s', async (_name, spoil, said) => {
    const { objects } = await renderObjects(REPRESENTATIVE[0]?.values);
    const spoilt = structuredClone(objects);
    spoil(spoilt.find((object) => object.kind === 'Job'));
    await expect(make(spoilt)).rejects.toThrow(said);
  });
});

describe("the Job's name is the same", () => {
  /** Ways to the same objects: what helm is told, and how its answer is read. */
  const ways = async (values: object): Promise<readonly (readonly [string, string])[]> => {
    const aliased = umbrella([{ name: 'nvidia-aicr', version: '0.3.0', alias: 'gpu' }]);
    const charts = [
      [chart, valuesFile(values)],
      [aliased, valuesFile({ gpu: values })],
    ] as const;
    const verbs = [
      ['template', 'rel'],
      ['install', 'rel', '--dry-run=server', '-o', 'json'],
    ] as const;
    const asked = ([3, 4] as const).flatMap((generation) =>
      charts.flatMap(([folder, file]) => verbs.map((verb) => ({ generation, folder, file, verb }))),
    );
    return Promise.all(
      asked.map(async ({ generation, folder, file, verb }) => {
        const [name = '', ...how] = verb;
        const args = [name, ...how, folder, '-n', 'ns', '-f', file];
        const { ok, stdout, stderr } = await helm(generation, args, { KUBECONFIG: api.kubeconfig });
        expect([ok, stderr]).toEqual([true, '']);
        const text = name === 'install' ? JSON.parse(stdout).manifest : stdout;
        const job = objectsIn(text).find((object) => object.kind === 'Job');
        return [`Helm ${generation} ${args.join(' ')}`, job.metadata.name] as const;
      }),
    );
  };

  test.each(REPRESENTATIVE)(
    'by every helm, at the root and under an alias, with and without a cluster: $name',
    async (one) => {
      const values = (typeof one.values === 'string' ? parse(one.values) : one.values) as object;
      const names = await ways(values);
      expect(names).toHaveLength(8);
      for (const [way, name] of names) expect([way, name]).toEqual([way, names[0]?.[1]]);
    },
  );
});
