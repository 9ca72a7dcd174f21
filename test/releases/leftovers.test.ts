import { beforeEach, expect, test } from 'vitest';
import { RunError } from '../../src/contract/index.ts';
import type { ObjectMetadata } from '../../src/runner/ports/index.ts';
import { reportLeftovers } from '../../src/runner/steps/releases/leftovers.ts';
import { testContext } from '../steps/context.ts';
import { unreachable } from '../steps/memory-cluster.ts';
import { HelmCluster } from './helm-cluster.ts';

let cluster: HelmCluster;
let world: ReturnType<typeof testContext>;
beforeEach(() => {
  cluster = new HelmCluster();
  world = testContext(cluster);
});

const object = (name: string, namespace = '', labels = {}): ObjectMetadata => ({ name, namespace, labels });
const many = (count: number, namespace: string): ObjectMetadata[] =>
  Array.from({ length: count }, (_, index) => object(`v${index + 1}`, namespace));
const BINDINGS = 'kubectl delete clusterrolebinding -l app.kubernetes.io/name=aicr-validator';
const JOBS = "kubectl delete job -A -l 'app.kubernetes.io/name in (aicr,aicr-validator)'";

test.each([
  ['a binding', many(1, ''), [], 'ClusterRoleBinding v1', BINDINGS],
  ['bindings', many(5, ''), [], 'ClusterRoleBindings v1, v2, v3, v4, v5', BINDINGS],
  ['a Job', [], many(1, 'a'), 'Job a/v1', JOBS],
  ['many Jobs', [], many(7, 'a'), 'Jobs a/v1, a/v2, a/v3, a/v4, a/v5 and 2 more', JOBS],
  ['both', many(1, ''), many(2, 'a'), 'ClusterRoleBinding v1 and Jobs a/v1, a/v2', `${BINDINGS}; ${JOBS}`],
])(
  'what an aicr validate left is named with what removes it: %s',
  async (_, bindings, jobs, named, commands) => {
    cluster.left.ClusterRoleBinding = bindings;
    cluster.left.Job = jobs;
    await reportLeftovers(world.context);
    expect(world.recorded.warnings).toEqual([
      `an aicr validate that was interrupted, or still runs, left ${named}; whose they are is recorded nowhere, so they were left alone. If no aicr runs: ${commands}`,
    ]);
  },
);

test('nothing is said of a cluster without any, nor of a Job that a chart made', async () => {
  cluster.left.Job = [object('chart-job', 'a', { 'app.kubernetes.io/managed-by': 'Helm' })];
  await reportLeftovers(world.context);
  cluster.left.Job.push(object('other', 'a', { 'app.kubernetes.io/managed-by': 'somebody' }));
  await reportLeftovers(world.context);
  expect(world.recorded.warnings).toEqual([expect.stringContaining('left Job a/other; whose')]);
});

test('they are found by the labels that aicr gives them', async () => {
  const asked: unknown[] = [];
  cluster.listLeftovers = async (...args: unknown[]) => {
    asked.push(args.slice(0, 2));
    return [];
  };
  await reportLeftovers(world.context);
  expect(asked).toEqual([
    ['ClusterRoleBinding', 'app.kubernetes.io/name=aicr-validator'],
    ['Job', 'app.kubernetes.io/name in (aicr,aicr-validator)'],
  ]);
});

test('a cluster that does not show them is no reason to stop; the end of the run is', async () => {
  cluster.trouble = unreachable;
  await reportLeftovers(world.context);
  expect(world.recorded.log).toEqual([
    'what an interrupted aicr may have left cannot be seen: the API server does not answer: refused',
  ]);
  expect(world.recorded.warnings).toEqual([]);
  const over = new RunError('Interrupted', 'SIGTERM', { hint: '' });
  world.abort(over);
  await expect(reportLeftovers(world.context)).rejects.toBe(over);
});
