import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { RunError } from '../../src/contract/index.ts';
import type { ReleasesStep } from '../../src/runner/planned.ts';
import { runStep, type StepOutcome } from '../../src/runner/steps/index.ts';
import { type TestContext, temporaryFolder, testContext } from './context.ts';
import { MemoryCluster, unreachable } from './memory-cluster.ts';
import { placeTools } from './tools.ts';

let work: string;
let tools: string;
let cluster: MemoryCluster;
let test: TestContext;

beforeEach(() => {
  work = temporaryFolder();
  cluster = new MemoryCluster();
  test = testContext(cluster);
  tools = placeTools(work);
});

function check(change: Partial<ReleasesStep> = {}): Promise<StepOutcome> {
  const dir = join(work, 'bundle');
  mkdirSync(join(dir, '001-alpha'), { recursive: true });
  writeFileSync(join(dir, '001-alpha', 'install.sh'), 'helm upgrade --install alpha ./ --namespace alpha-ns');
  const step: ReleasesStep = {
    name: 'releases',
    does: 'look',
    dir,
    access: { clusterRole: 'cluster-admin', required: true },
    version: 'v1.2.0',
    release: { name: 'gpu', namespace: 'nvidia-aicr' },
    existing: 'refuse',
    allowDowngrade: false,
    statusConfigMap: 'gpu-status',
    lockNamespace: 'kube-system',
    claimsFile: join(work, 'claims.json'),
    ...change,
  };
  return runStep(step, test.context);
}

async function failure(ended: Promise<StepOutcome>): Promise<RunError> {
  const error = await ended.then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof RunError)) throw error;
  return error;
}

/** Only a step that came to its end leaves something for the deploy step. */
const passed = (): boolean => existsSync(join(work, 'claims.json'));

describe('before anything is touched', () => {
  it('the API server must answer; it is asked again for a while', async () => {
    cluster.trouble = unreachable;
    const error = await failure(check());
    expect(error.code).toBe('ClusterUnreachable');
    expect(test.recorded.retries.length).toBeGreaterThan(2);
    expect(passed()).toBe(false);
  });

  it('the installer must have every right', async () => {
    cluster.rights = ['create customresourcedefinitions.apiextensions.k8s.io', 'create namespaces'];
    const error = await failure(check());
    expect(error.code).toBe('RightsMissing');
    expect(error.message).toContain(
      'create customresourcedefinitions.apiextensions.k8s.io; create namespaces',
    );
    expect(passed()).toBe(false);
  });

  it('missing rights are only warned of with a ClusterRole of its own', async () => {
    cluster.rights = ['create namespaces'];
    await check({ access: { clusterRole: 'aicr-installer', required: false } });
    expect(test.recorded.warnings).toEqual([expect.stringMatching(/create namespaces.*aicr-installer/)]);
    expect(passed()).toBe(true);
  });

  it.each(['kubectl', 'helm'])('%s must be there', async (tool) => {
    vi.stubEnv('PATH', tools);
    chmodSync(join(tools, tool), 0o644);
    writeFileSync(join(tools, 'bash'), '#!/bin/sh\n', { mode: 0o755 });
    const error = await failure(check());
    expect(error.code).toBe('ToolMissing');
    expect(error.message).toContain(tool);
    expect(error.hint).toContain('runtimeImage');
  });

  it('a bundle of a layout that nobody knows is warned of, not passed over', async () => {
    mkdirSync(join(work, 'empty'));
    await check({ dir: join(work, 'empty') });
    expect(test.recorded.warnings).toEqual([expect.stringContaining('cannot be told')]);
  });
});
