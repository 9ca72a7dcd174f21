import { expect, onTestFinished } from 'vitest';
import { expectFailure } from './failure.ts';
import { test } from './scenario.ts';

interface Volume {
  readonly name: string;
  emptyDir?: object;
}

test('a /tmp that is too small for aicr is told as such, also without Helm in the cluster', async ({
  scenario,
}) => {
  const release = scenario.release();
  const objects = await release.template({ service: 'eks', accelerator: 'h100', intent: 'training' });
  const job = objects.find(({ kind }) => kind === 'Job') as unknown as {
    spec: { template: { spec: { volumes: Volume[] } } };
  };
  const tmp = job.spec.template.spec.volumes.find(({ name }) => name === 'tmp');
  // In memory, since there a volume's size is a file system's: on disk the kubelet evicts the pod some time later.
  Object.assign(tmp ?? {}, { emptyDir: { medium: 'Memory', sizeLimit: '2Mi' } });
  onTestFinished(async () => {
    for (const name of await release.bindings())
      await scenario.namespace.kubectl(['delete', 'clusterrolebinding', name]);
  });
  for (const object of objects) await scenario.namespace.apply(object);

  const status = await expectFailure(release, 'DiskFull');
  expect(status.message).toMatch(/^\/tmp\S* is too small for .*: needs [\d.]+ MiB, has [\d.]+ MiB free$/);
  expect(status.hint).toContain('job.tmpSizeLimit');
  expect(status.steps[0]).toMatchObject({ name: 'download', state: 'Failed', attempts: 1 });
});
