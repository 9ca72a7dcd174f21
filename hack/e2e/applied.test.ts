import { expect } from 'vitest';
import { expectFailure } from './failure.ts';
import type { ConfigMap, KubeObject } from './namespace.ts';
import type { ChartRelease } from './release.ts';
import { type Scenario, test } from './scenario.ts';

const CRITERIA = { service: 'eks', accelerator: 'h100', intent: 'training' };

interface Job extends KubeObject {
  readonly spec: { readonly template: { readonly spec: { readonly volumes: { name: string }[] } } };
}

/**
 * Installs as a reconciler does: what `helm template` makes is applied, and there is no Helm release. On the way the
 * objects are changed into something that the chart's values do not allow.
 */
async function applyChanged(
  scenario: Scenario,
  release: ChartRelease,
  change: (object: KubeObject) => void,
): Promise<void> {
  for (const object of await release.template(CRITERIA)) {
    change(object);
    await scenario.namespace.apply(object);
  }
}

test('a /tmp that is too small for aicr is told as such', async ({ scenario }) => {
  const release = scenario.release();
  await applyChanged(scenario, release, (object) => {
    if (object.kind !== 'Job') return;
    const tmp = (object as Job).spec.template.spec.volumes.find(({ name }) => name === 'tmp');
    // In memory the volume's size is a file system's; on disk the kubelet evicts the pod some time later.
    Object.assign(tmp ?? {}, { emptyDir: { medium: 'Memory', sizeLimit: '2Mi' } });
  });
  const status = await expectFailure(release, 'DiskFull');
  expect(status.message).toMatch(/^\/tmp\S* is too small for .*: needs [\d.]+ MiB, has [\d.]+ MiB free$/);
  expect(status.hint).toContain('job.tmpSizeLimit');
  expect(status.steps[0]).toMatchObject({ name: 'download', state: 'Failed', attempts: 1 });
});

test('a run.json that breaks the contract is refused with every fault of it, and nothing is taken from it', async ({
  scenario,
}) => {
  const release = scenario.release();
  await applyChanged(scenario, release, (object) => {
    const { data } = object as ConfigMap & { data?: Record<string, string> };
    if (data?.['run.json'] === undefined) return;
    const spec = JSON.parse(data['run.json']) as { aicr: Record<string, unknown>; deploy: { args: unknown } };
    spec.aicr['verzion'] = spec.aicr['version'];
    delete spec.aicr['version'];
    spec.deploy.args = '--no-wait';
    data['run.json'] = JSON.stringify(spec);
  });
  const status = await expectFailure(release, 'RunSpecInvalid');
  for (const fault of ['verzion', 'aicr', 'deploy.args']) expect(status.message).toContain(fault);
  expect(status.steps).toEqual([]);
  expect(await (await release.job()).log()).not.toMatch(/^\s+at /m);
});
