import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiServer, startApiServer } from '../../hack/cluster/index.ts';
import { HelmWorld } from './helm-world.ts';

// An API server of its own: whatever else ran on it would see the leftovers, too.
let server: ApiServer;
let world: HelmWorld;
beforeAll(async () => {
  server = await startApiServer();
  world = new HelmWorld(4, server);
  await world.open();
});
afterAll(() => {
  world.close();
  server.stop();
});

const labels = { 'app.kubernetes.io/name': 'aicr-validator' };
const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
const bindings = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';

test('what an interrupted aicr validate left is named with the commands that remove it, and is left alone', async () => {
  await world.look();
  expect(world.recorded.warnings).toEqual([]);

  await world.admin.call('POST', bindings, { metadata: { name: 'aicr-validator-1', labels }, roleRef });
  const jobs = `/apis/batch/v1/namespaces/${world.namespace}/jobs`;
  const container = { name: 'check', image: 'registry.example/check:1' };
  const spec = { template: { spec: { restartPolicy: 'Never', containers: [container] } } };
  const chart = { 'app.kubernetes.io/name': 'aicr', 'app.kubernetes.io/managed-by': 'Helm' };
  const names = { 'aicr-gpu-check': { 'app.kubernetes.io/name': 'aicr' }, 'chart-job': chart };
  for (const [name, jobLabels] of Object.entries(names)) {
    await world.admin.call('POST', jobs, { metadata: { name, labels: jobLabels }, spec });
  }

  await world.look();
  const [warning = ''] = world.recorded.warnings;
  expect(warning).toContain(`ClusterRoleBinding aicr-validator-1 and Job ${world.namespace}/aicr-gpu-check`);
  expect(warning).toContain('kubectl delete clusterrolebinding -l app.kubernetes.io/name=aicr-validator');
  expect(warning).not.toContain('chart-job');
  expect(await world.admin.find(`${bindings}/aicr-validator-1`)).not.toBeNull();
  expect(await world.admin.find(`${jobs}/aicr-gpu-check`)).not.toBeNull();
});
