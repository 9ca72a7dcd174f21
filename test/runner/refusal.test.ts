import { expect, test } from 'vitest';
import { makeWorld, useProgram } from './run.ts';

useProgram();

/** What a run needs to keep its records, and nothing of what it installs. */
const RECORDS_ONLY = [
  { apiGroups: [''], resources: ['configmaps', 'pods'], verbs: ['get', 'list', 'create', 'patch'] },
  { apiGroups: ['batch'], resources: ['jobs'], verbs: ['get', 'list'] },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] },
];

test('a run.json that breaks the contract is refused with every violation and its path', async () => {
  const world = await makeWorld();
  const run = await world.start({
    spec: (spec) => ({
      ...spec,
      aicr: { ...spec.aicr, arch: 'sparc', sha256: { amd64: 'xyz', arm64: '' } },
      deploy: { flags: '' },
      surprise: true,
    }),
  });
  expect(await run.ended).toMatchObject({ code: 10 });
  const status = await world.status();
  expect(status).toMatchObject({ phase: 'Failed', reason: 'RunSpecInvalid', steps: [] });
  for (const text of [status.message, run.termination()]) {
    expect(text).toContain('aicr.arch must be equal to one of the allowed values (auto, amd64, arm64)');
    expect(text).toContain('aicr.sha256.amd64 must match pattern');
    expect(text).toContain("deploy must have required property 'args'");
    expect(text).toContain('must NOT have additional properties (surprise)');
  }
  expect(run.output()).not.toMatch(/^\s+at /m);
});

test.each([
  ['is not there', null, 'cannot be read'],
  ['is not JSON', '{"version": 1,', 'is not JSON'],
  ['is empty', '', 'is not JSON'],
])('a run.json that %s is refused without a stack', async (_, runJson, words) => {
  const world = await makeWorld();
  const run = await world.start({ runJson });
  expect(await run.ended).toMatchObject({ code: 10 });
  expect(run.termination()).toMatch(/^RunSpecInvalid: /);
  expect(run.termination()).toContain(words);
  expect(await world.status()).toMatchObject({ phase: 'Failed', reason: 'RunSpecInvalid' });
  expect(run.output()).not.toMatch(/^\s+at /m);
});

test('a run that is refused before it has read its Job is told of in an Event that the Job shows', async () => {
  const world = await makeWorld();
  const run = await world.start({ runJson: '{}' });
  expect(await run.ended).toMatchObject({ code: 10 });
  const job = await world.admin.find(`/apis/batch/v1/namespaces/${world.namespace}/jobs/${run.job}`);
  const events = await world.admin.call('GET', `/apis/events.k8s.io/v1/namespaces/${world.namespace}/events`);
  expect(events['items']).toMatchObject([{ reason: 'Failed', regarding: { uid: job?.metadata.uid } }]);
});

test('a pod without the variables that the chart sets is refused, naming them', async () => {
  const world = await makeWorld();
  const run = await world.start({ env: { JOB_NAME: undefined, KUBERNETES_SERVICE_HOST: undefined } });
  expect(await run.ended).toMatchObject({ code: 10 });
  expect(run.termination()).toContain('JOB_NAME, KUBERNETES_SERVICE_HOST');
});

test('an installer without rights says so before it begins', async () => {
  const world = await makeWorld(null);
  const run = await world.start({ deploy: 'echo deployed' });
  expect(await run.ended, run.output()).toMatchObject({ code: 51 });
  expect(run.output()).toMatch(/WARN: cannot read Job .*forbidden.*goes on without knowing its deadline/);
  expect(run.output()).not.toContain('download');
  expect(run.termination()).toMatch(
    /^RightsMissing: .*cannot get resource "leases" in API group "coordination/,
  );
  expect(run.termination()).toContain(
    `get, create and update on leases.coordination.k8s.io in namespace ${world.namespace}`,
  );
});

test('an installer with the rights for its records alone says which others it lacks, and deploys nothing', async () => {
  const world = await makeWorld(RECORDS_ONLY);
  const run = await world.start({ deploy: 'echo deployed' });
  expect(await run.ended, run.output()).toMatchObject({ code: 51 });
  expect(run.output()).not.toContain('| deployed');
  expect(run.termination()).toMatch(/^RightsMissing: .*create namespaces/);
});

test('an installer that may read the Lease but not make it is refused, although another ClusterRole is asked for', async () => {
  const readOnly = { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get'] };
  const world = await makeWorld([...RECORDS_ONLY.slice(0, -1), readOnly]);
  const run = await world.start({
    spec: (given: object): object => ({ ...given, rbac: { clusterRole: 'records-only' } }),
  });
  expect(await run.ended, run.output()).toMatchObject({ code: 51 });
  expect(run.termination()).toMatch(/^RightsMissing: .*cannot create resource "leases"/);
});

test('a namespace for the Lease that does not exist is named with its value', async () => {
  const world = await makeWorld();
  const lock = { namespace: 'no-such-namespace', waitSeconds: null };
  const run = await world.start({ spec: (spec) => ({ ...spec, lock }) });
  expect(await run.ended, run.output()).toMatchObject({ code: 10 });
  expect(run.termination()).toMatch(
    /^RunSpecInvalid: lock\.namespace: there is no namespace no-such-namespace/,
  );
});

test('another ClusterRole than cluster-admin is a warning that names what it lacks', async () => {
  const world = await makeWorld(RECORDS_ONLY);
  const spec = (given: object): object => ({ ...given, rbac: { clusterRole: 'records-only' } });
  const run = await world.start({ spec });
  expect(await run.ended, run.output()).toMatchObject({ code: 0 });
  const { warnings } = await world.status();
  expect(warnings.join('\n')).toMatch(/may not: .*create namespaces/);
  expect(run.termination()).toContain('Warning: the installer may not');
});

test('a fault of the runner itself is one line where people look', async () => {
  const world = await makeWorld();
  const run = await world.start({ breakTmp: true });
  expect(await run.ended).toMatchObject({ code: 1 });
  const status = await world.status();
  expect(status).toMatchObject({ phase: 'Failed', reason: 'Internal' });
  expect(status.message).toMatch(/^a fault of the installer itself: /);
  expect(`${JSON.stringify(status)}${run.termination()}`).not.toMatch(/\bat .*runner\.mjs/);
  expect(run.output()).toContain('ENOTDIR');
});
