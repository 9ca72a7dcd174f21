/**
 * Measures the installer beside the plain script that it takes the place of, in one run on one machine: `npm run
 * bench`. One line a figure: `bench <name> <value> <unit>`. Both sides have the same mirror, on loopback, and the same
 * aicr; AICR_RELEASE_DIR takes a real one.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildChart } from '../chart.ts';
import { ensureTools, Mirror, startApiServer } from '../cluster/index.ts';
import { type Figures, installChart, runInstaller } from './installer.ts';
import { heavyRelease } from './release.ts';
import { runScript } from './script.ts';

/** Pairs of runs, one of each side in turn; the first pair only warms the machine up. */
const PAIRS = 8;

const print = (name: string, value: number, unit: string): void =>
  void process.stdout.write(`bench ${name} ${value.toFixed(unit === 'MB' ? 0 : 2)} ${unit}\n`);

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [high = 0, low = high] = [sorted[middle], sorted[sorted.length % 2 === 0 ? middle - 1 : middle]];
  return (low + high) / 2;
}

async function measure(folder: string): Promise<void> {
  await ensureTools(['kubectl', 'kube-apiserver', 'etcd', 'helm4']);
  const release = await heavyRelease(folder);
  await cp(release.dir, join(folder, 'mirror', release.version), { recursive: true });
  const chart = await buildChart(folder);
  const api = await startApiServer();
  const mirror = await Mirror.start(join(folder, 'mirror'), '127.0.0.1');
  try {
    const installed = await installChart(api, chart, mirror.url, release);
    const scripts: number[] = [];
    const installers: Figures[] = [];
    for (let pair = 0; pair < PAIRS; pair += 1) {
      scripts.push(await runScript(folder, mirror.url, release));
      installers.push(await runInstaller(folder, installed));
    }
    const script = median(scripts.slice(1));
    const measured = installers.slice(1);
    const installer = median(measured.map(({ untilDeploy }) => untilDeploy));
    print('installer-until-deploy', installer / script, 'times-bash');
    print('installer-until-deploy-time', installer / 1000, 's');
    print('bash-until-deploy-time', script / 1000, 's');
    print('installer-peak-memory', Math.max(...measured.map(({ peakMB }) => peakMB)), 'MB');
    print('init-time', median(measured.map(({ handover }) => handover)) / 1000, 's');
  } finally {
    await mirror.stop();
    api.stop();
  }
}

const folder = await mkdtemp(join(tmpdir(), 'aicr-bench-'));
try {
  await measure(folder);
} finally {
  await rm(folder, { recursive: true, force: true });
}
