/**
 * Measures the installer: beside the plain script that it takes the place of, beside its own steps without a cluster,
 * how it stops, what much output costs, and how long whoever edits a template waits for the tests; in one run on one
 * machine: `npm run bench`. One line a figure: `bench
 * <name> <value> <unit>`; CONTRIBUTING.md says what each compares. All sides have the same mirror, on loopback, and
 * the same aicr; AICR_RELEASE_DIR takes a real one.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildChart } from '../chart.ts';
import { ensureCrds, ensureTools, Mirror, startApiServer } from '../cluster/index.ts';
import { bundleSteps, runAlone } from './alone.ts';
import { type Installed, installChart } from './chart.ts';
import { type Figures, runInstaller } from './installer.ts';
import { printThrough } from './output.ts';
import { heavyRelease } from './release.ts';
import { runScript } from './script.ts';
import { STUBBORN, stopInstaller, WILLING } from './stop.ts';
import { renderOnce, runRenderTests } from './suite.ts';

/** Rounds of runs, one of each side in turn; the first round only warms the machine up. */
const ROUNDS = 8;

/** The same of runs that are stopped or print much, which take longer and differ less. */
const FEW_ROUNDS = 3;

/** Seconds from SIGTERM to SIGKILL in the runs that are stopped: fewer than by default, so that they can be awaited. */
const GRACE_SECONDS = 20;

const LITTLE_OUTPUT_MB = 1;
const MUCH_OUTPUT_MB = 200;

const print = (name: string, value: number, unit: string): void =>
  void process.stdout.write(`bench ${name} ${value.toFixed(unit === 'MB' ? 0 : 2)} ${unit}\n`);

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [high = 0, low = high] = [sorted[middle], sorted[sorted.length % 2 === 0 ? middle - 1 : middle]];
  return (low + high) / 2;
}

async function measure(folder: string): Promise<void> {
  await ensureTools(['kubectl', 'kube-apiserver', 'etcd', 'helm3', 'helm4']);
  const release = await heavyRelease(folder);
  await cp(release.dir, join(folder, 'mirror', release.version), { recursive: true });
  const chart = await buildChart(folder);
  const api = await startApiServer();
  const mirror = await Mirror.start(join(folder, 'mirror'), '127.0.0.1');
  try {
    const installed = await installChart(api, chart, mirror.url, release);
    await measureRuns(folder, installed, () => runScript(folder, mirror.url, release));
    const values = { job: { terminationGracePeriodSeconds: GRACE_SECONDS } };
    const hurried = await installChart(api, chart, mirror.url, release, values);
    await measureStops(folder, hurried);
    await measureOutput(folder, hurried);
  } finally {
    await mirror.stop();
    api.stop();
  }
  await measureSuite(chart);
}

/** @param script runs the plain script once, and gives its milliseconds */
async function measureRuns(
  folder: string,
  installed: Installed,
  script: () => Promise<number>,
): Promise<void> {
  const program = await bundleSteps();
  const scripts: number[] = [];
  const installers: Figures[] = [];
  const alone: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    scripts.push(await script());
    installers.push(await runInstaller(folder, installed));
    alone.push(await runAlone(folder, installed, program));
  }
  const measured = installers.slice(1);
  const bash = median(scripts.slice(1));
  const installer = median(measured.map(({ untilDeploy }) => untilDeploy));
  print('installer-until-deploy', installer / bash, 'times-bash');
  print('installer-until-deploy-time', installer / 1000, 's');
  print('bash-until-deploy-time', bash / 1000, 's');
  const whole = median(measured.map((figures) => figures.whole));
  const steps = median(alone.slice(1));
  print('whole-run', whole / steps, 'times-steps-without-cluster');
  print('whole-run-time', whole / 1000, 's');
  print('steps-without-cluster-time', steps / 1000, 's');
  print('installer-peak-memory', Math.max(...measured.map(({ peakMB }) => peakMB)), 'MB');
  print('init-time', median(measured.map(({ handover }) => handover)) / 1000, 's');
}

async function measureStops(folder: string, installed: Installed): Promise<void> {
  const willing: number[] = [];
  const stubborn: number[] = [];
  for (let round = 0; round < FEW_ROUNDS; round += 1) {
    willing.push(await stopInstaller(folder, installed, WILLING));
    stubborn.push(await stopInstaller(folder, installed, STUBBORN));
  }
  print('stop-time', median(willing) / 1000, 's');
  print('stop-time-of-stubborn-child', median(stubborn) / 1000, 's');
  print('stop-of-stubborn-child', median(stubborn) / 1000 / GRACE_SECONDS, 'of-grace-period');
}

async function measureOutput(folder: string, installed: Installed): Promise<void> {
  const little: number[] = [];
  const much: number[] = [];
  for (let round = 0; round < FEW_ROUNDS; round += 1) {
    little.push(await printThrough(folder, installed, LITTLE_OUTPUT_MB));
    much.push(await printThrough(folder, installed, MUCH_OUTPUT_MB));
  }
  const unit = `times-${LITTLE_OUTPUT_MB}-MB`;
  print(`peak-memory-with-${MUCH_OUTPUT_MB}-MB-of-output`, median(much) / median(little), unit);
  print(`peak-memory-with-${MUCH_OUTPUT_MB}-MB-of-output`, median(much), 'MB');
  print(`peak-memory-with-${LITTLE_OUTPUT_MB}-MB-of-output`, median(little), 'MB');
}

async function measureSuite(chart: string): Promise<void> {
  await ensureCrds();
  const renders: number[] = [];
  const guards: number[] = [];
  for (let round = 0; round < FEW_ROUNDS; round += 1) {
    renders.push(await renderOnce(chart));
    guards.push(await runRenderTests('test/render/guards.test.ts'));
  }
  const suite = await runRenderTests();
  const unit = 'times-one-render-by-both-helms';
  print('guard-tests', median(guards) / median(renders), unit);
  print('guard-tests-time', median(guards) / 1000, 's');
  print('render-suite', suite / median(renders), unit);
  print('render-suite-time', suite / 1000, 's');
}

const folder = await mkdtemp(join(tmpdir(), 'aicr-bench-'));
try {
  await measure(folder);
} finally {
  await rm(folder, { recursive: true, force: true });
}
