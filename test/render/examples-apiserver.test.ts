import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { type ApiServer, ensureCrds, startApiServer } from '../../hack/cluster/index.ts';
import { type Example, readExamples } from '../examples.ts';
import type { Any } from './helm.ts';
import { type Kubectl, kubectlOf } from './kubectl.ts';

/** Kinds that the server knows by itself, or by the definitions that `ensureCrds` makes. */
const KNOWN = /^(v1|helm\.toolkit\.fluxcd\.io\/.*|source\.toolkit\.fluxcd\.io\/.*|argoproj\.io\/.*)$/;

const examples = (await readExamples()).filter(({ objects }) => objects.length > 0);

let api: ApiServer;
let kubectl: Kubectl;

beforeAll(async () => {
  const [server, folders] = await Promise.all([startApiServer(), ensureCrds()]);
  api = server;
  kubectl = await kubectlOf(api.kubeconfig);
  const files = folders.flatMap((folder) => readdirSync(folder).map((file) => path.join(folder, file)));
  // Some are larger than the annotation of a client-side apply may be.
  await kubectl(['create', ...files.flatMap((file) => ['-f', file])]);
  await established('--all');
  const namespaces = examples.flatMap(({ objects }) => objects.map(({ metadata }) => metadata.namespace));
  for (const name of new Set(namespaces.filter((namespace) => namespace !== undefined))) {
    await kubectl(['create', 'namespace', name]);
  }
});
afterAll(() => api.stop());

/** Waits until definitions can be used; kubectl gives up at once on one that has no conditions yet. */
const established = async (which: string): Promise<unknown> =>
  vi.waitFor(async () => kubectl(['wait', 'crd', which, '--for=condition=Established', '--timeout=5s']), {
    timeout: 60_000,
    interval: 500,
  });

/** Asks the server whether it would take an object; unknown and doubled fields are refused. */
const apply = async (object: Any): Promise<string> =>
  kubectl(['apply', '--dry-run=server', '--validate=strict', '-f', '-'], JSON.stringify(object));

const apiObjects = ({ objects }: Example): readonly Any[] =>
  objects.filter(({ apiVersion }) => KNOWN.test(apiVersion));

describe('a real API server with the definitions of Flux and Argo CD', () => {
  test.each(examples.filter((example) => apiObjects(example).length > 0).map((one) => [one.place, one]))(
    'takes the objects of %s',
    async (_place, example) => {
      for (const object of apiObjects(example)) await apply(object);
    },
  );

  test('sees a field that is not there, and a strategy that is none', async () => {
    const example = examples.find(({ place }) => place === 'examples/flux/helmrelease.yaml');
    const release = example?.objects.find(({ kind }) => kind === 'HelmRelease');
    const misspelt = { ...release, spec: { ...release.spec, driftdetection: { mode: 'enabled' } } };
    await expect(apply(misspelt)).rejects.toThrow('unknown field "spec.driftdetection"');
    const strategy = { ...release, spec: { ...release.spec, install: { strategy: { name: 'Retry' } } } };
    await expect(apply(strategy)).rejects.toThrow('spec.install.strategy.name');
  });
});

/** The rule's own language is the API server's too: it judges objects that look like Jobs, as their validation. */
describe('the health rule for k0rdent', () => {
  const short = { type: 'string', maxLength: 64 };
  const likeJob = (validation: object): Any => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'likejobs.test.example' },
    spec: {
      group: 'test.example',
      names: { plural: 'likejobs', kind: 'LikeJob' },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                status: {
                  type: 'object',
                  properties: {
                    active: { type: 'integer' },
                    conditions: {
                      type: 'array',
                      maxItems: 8,
                      items: { type: 'object', properties: { type: short, status: short } },
                    },
                  },
                },
              },
              'x-kubernetes-validations': [validation],
            },
          },
        },
      ],
    },
  });

  beforeAll(async () => {
    const example = examples.find(({ place }) => place === 'examples/k0rdent/fleet.yaml');
    const config = example?.objects.find(({ kind }) => kind === 'ConfigMap');
    const [rule, ...others] = parse(config.data.rules);
    expect(others).toEqual([]);
    expect(rule).toMatchObject({ group: 'batch', version: 'v1', kind: 'Job', scope: 'Namespaced' });
    const [healthy, message] = [rule.healthy, rule.message].map((text: string) =>
      text.replaceAll(/\bobj\b/g, 'self').replaceAll(/\s+/g, ' '),
    );
    const definition = likeJob({ rule: healthy, messageExpression: message });
    await kubectl(['create', '-f', '-'], JSON.stringify(definition));
    await established('likejobs.test.example');
  });

  const judge = async (status: object | undefined): Promise<string> =>
    kubectl(
      ['create', '--dry-run=server', '-f', '-'],
      JSON.stringify({
        apiVersion: 'test.example/v1',
        kind: 'LikeJob',
        metadata: { name: 'one', namespace: 'default' },
        status,
      }),
    );
  const conditions = (...types: readonly string[]): object => ({
    conditions: types.map((type) => ({ type, status: 'True' })),
  });

  test.each([
    ['has just been made', undefined, 'the run has not ended'],
    ['runs', { active: 1 }, 'the run has not ended'],
    ['is about to fail', conditions('FailureTarget'), 'the run has not ended'],
    ['has failed', conditions('FailureTarget', 'Failed'), 'the run failed'],
  ])('holds the service back for a Job that %s', async (_state, status, message) => {
    await expect(judge(status)).rejects.toThrow(message);
  });

  test('lets the service go on for a Job that is complete', async () => {
    expect(await judge(conditions('SuccessCriteriaMet', 'Complete'))).toContain('created');
  });
});
