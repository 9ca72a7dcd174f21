import { expect, test } from 'vitest';
import { makeWorld, useProgram, type World } from './run.ts';

useProgram();

const OLD = 'aicr-install-00000000';
const OTHER = 'twin-install-00000000';
const KEPT = 'aicr-install-00000001';
const APPLIED = 'aicr-install-00000002';
const MINE = 'aicr-install-1a2b3c4d';

const jobs = ({ namespace }: World): string => `/apis/batch/v1/namespaces/${namespace}/jobs`;

/** Jobs of earlier revisions, as Helm leaves them behind, one to be kept, and one that Helm has not made. */
async function makeJobs(world: World): Promise<void> {
  const make = async (name: string, annotations: Readonly<Record<string, string>>): Promise<void> => {
    await world.makeJob(name);
    const patch = { metadata: { annotations } };
    await world.admin.call('PATCH', `${jobs(world)}/${name}`, patch, 'application/merge-patch+json');
  };
  const helm = { 'meta.helm.sh/release-name': 'aicr' };
  await make(OLD, helm);
  await make(OTHER, helm);
  await make(KEPT, { ...helm, 'helm.sh/resource-policy': 'keep' });
  await make(APPLIED, {});
  await make(MINE, helm);
}

const names = async (world: World): Promise<string[]> => {
  const { items } = (await world.admin.call('GET', jobs(world))) as unknown as {
    items: { metadata: { name: string; deletionTimestamp?: string } }[];
  };
  return items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata }) => metadata.name)
    .sort();
};

test('a run removes the Jobs that earlier revisions of its release left behind, and no others', async () => {
  const world = await makeWorld();
  await makeJobs(world);
  const run = await world.start({ jobName: MINE });
  expect(await run.ended, run.output()).toMatchObject({ code: 0 });
  expect(await names(world)).toEqual([KEPT, APPLIED, MINE, OTHER]);
  expect(run.output()).toContain(`removed Job ${OLD}`);
});

test('a run that may not remove Jobs says so and goes on', async () => {
  const groups = ['', 'apps', 'apiextensions.k8s.io', 'rbac.authorization.k8s.io', 'coordination.k8s.io'];
  const world = await makeWorld([
    { apiGroups: ['batch'], resources: ['jobs'], verbs: ['get', 'list', 'create'] },
    { apiGroups: [...groups, 'admissionregistration.k8s.io'], resources: ['*'], verbs: ['*'] },
  ]);
  await makeJobs(world);
  const run = await world.start({ jobName: MINE });
  expect(await run.ended, run.output()).toMatchObject({ code: 0 });
  expect(await names(world)).toContain(OLD);
  expect(run.output()).toMatch(/Jobs of earlier runs stay: .*delete/);
});
