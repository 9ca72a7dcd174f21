import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { stopDaemon } from '../../cluster/index.ts';
import { eventually } from '../patience.ts';
import { type Act, AT_ONCE, type Stage } from './stage.ts';
import { pausing } from './stopped.ts';

/** How long a part of the cluster is away; so long that clients notice, and shorter than the Lease lasts. */
const AWAY_MS = 60_000;

/** Stops one of the cluster's programs for a while. */
async function away({ scenario }: Stage, program: 'kube-apiserver' | 'kubelet'): Promise<void> {
  const startAgain = await stopDaemon(scenario.cluster, program);
  try {
    await delay(AWAY_MS);
  } finally {
    await startAgain();
    await eventually('the API server answers again', async () => {
      const asked = await scenario.cluster.run(['kubectl', 'get', '--raw', '/readyz'], { reject: false });
      return asked.exitCode === 0 || undefined;
    });
  }
}

const apiAwayInDeploy: Act = async (stage) => {
  const { scenario, release } = stage;
  const { values, job } = await stage.installSlowly({ deployArgs: ['--retries', '5'] });
  await away(stage, 'kube-apiserver');
  await scenario.releaseSlowComponent();
  await job.ended(8);
  const status = await release.statusWhen('it has ended', ({ finishedAt }) => finishedAt !== '', job);
  expect(['Succeeded', 'Failed']).toContain(status.phase);
  const log = await job.log();
  const cause = /Lease nvidia-aicr .* cannot be renewed/;
  return { release, next: { ...values, ...AT_ONCE }, cause, shown: () => log };
};

const apiAwayInCapture: Act = async (stage) => {
  const { release } = stage;
  const next = await stage.pack('acme');
  const job = await stage.install({ ...next, ...pausing('recipe=45s') });
  await stage.until('recipe');
  await stage.remember();
  await away(stage, 'kube-apiserver');
  await stage.expectComplete(job);
  expect(await release.recipe()).toBeDefined();
  const log = await job.log();
  return { release, next, cause: /Lease nvidia-aicr .* cannot be renewed/, shown: () => log };
};

const kubeletAway: Act = async (stage) => {
  const { scenario, release } = stage;
  const { values, job } = await stage.installSlowly();
  const { metadata } = await job.running();
  await away(stage, 'kubelet');
  await scenario.releaseSlowComponent();
  await stage.expectComplete(job);
  expect((await job.pods()).map((pod) => pod.metadata.uid)).toEqual([metadata.uid]);
  const shown = stage.shownBy(job);
  return { release, next: { ...values, ...AT_ONCE }, cause: /all 2 components are installed/, shown };
};

/** The cluster's own programs are away. */
export const OUTAGE_ACTS = {
  'API server away in deploy': apiAwayInDeploy,
  'API server away in capture': apiAwayInCapture,
  'kubelet away': kubeletAway,
} as const satisfies Record<string, Act>;
