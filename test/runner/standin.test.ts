/** The bundles of the stand-in, or of a real aicr, deployed by real helm on a real API server. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiServer, startApiServer, toolPath } from '../../hack/cluster/index.ts';
import type { PackName } from '../../hack/standin/index.ts';
import { COLD_BUILD, type Outcome, openProgram, type Program } from '../standin/program.ts';
import { toolbox } from '../standin/toolbox.ts';

const SUCCESS = '✓ All components installed successfully.';

let aicr: Program;
let api: ApiServer;
beforeAll(async () => {
  aicr = await openProgram();
}, COLD_BUILD);
afterAll(() => aicr.remove());

/** Resolves and bundles a pack. @returns the bundle's folder */
async function bundle(name: PackName): Promise<string> {
  const target = path.join(aicr.dir, `bundle-${name}`);
  if (existsSync(target)) return target;
  const pack = await aicr.pack(name);
  const criteria = ['--service', 'acme', '--accelerator', 'h200', '--intent', 'training'];
  await aicr.run(['recipe', '--data', pack, ...criteria, '-o', `${name}.yaml`]);
  const outcome = await aicr.run(['bundle', '-r', `${name}.yaml`, '--data', pack, '-o', target]);
  expect(outcome.exitCode, outcome.stderr).toBe(0);
  return target;
}

const kubectl = (...args: string[]) =>
  execa(toolPath('kubectl'), ['--kubeconfig', api.kubeconfig, ...args], { reject: false });

describe.each([3, 4] as const)('deploy.sh with helm %i', (generation) => {
  let PATH: string;
  beforeAll(async () => {
    PATH = await toolbox(aicr.dir, generation);
    // One for each: Helm 4 does not upgrade what Helm 3 installed when it is given --force-conflicts, as upstream's
    // install.sh gives it.
    api = await startApiServer();
  });
  afterAll(() => api.stop());

  const begin = (dir: string, args: readonly string[], env = {}) =>
    execa('bash', [path.join(dir, 'deploy.sh'), ...args], {
      env: { PATH, HOME: aicr.dir, KUBECONFIG: api.kubeconfig, ...env },
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
      detached: true,
    });
  const deploy = async (dir: string, ...args: string[]): Promise<Outcome> => {
    const { exitCode = -1, stdout, stderr } = await begin(dir, args);
    return { exitCode, stdout, stderr };
  };

  test('installs each component, says so line by line, and does it again', async () => {
    const dir = await bundle('acme');
    const first = await deploy(dir, '--retries', '0');
    expect(first.exitCode, first.stderr).toBe(0);
    const markers = first.stdout.split('\n').filter((line) => /^[═┌└✓✗⚠]|^ *↺|══/.test(line));
    expect(markers).toEqual([
      expect.stringMatching(/^══ Pre-flight checks ═+$/),
      '✓ Pre-flight checks passed',
      expect.stringMatching(/^══ Deploying AICR components ═+$/),
      '┌─ [1/2] acme-agent  →  acme-agent',
      '└─ ✓ acme-agent installed',
      '┌─ [2/2] acme-probe  →  acme-probe',
      '└─ ✓ acme-probe installed',
      SUCCESS,
    ]);
    const probe = await kubectl(
      'get',
      'configmap',
      'acme-probe',
      '-n',
      'acme-probe',
      '-o',
      'jsonpath={.data.hello}',
    );
    expect(probe.stdout).toBe('world');
    expect((await kubectl('get', 'clusterrolebinding', 'acme-agent')).exitCode).toBe(0);
    expect((await deploy(dir, '--retries', '0', '--no-wait')).stdout).toContain(SUCCESS);
  });

  test('stops at a component that fails', async () => {
    const outcome = await deploy(await bundle('acme-failing'), '--retries', '0', '--no-wait');
    expect(outcome.exitCode).toBe(1);
    expect(outcome.stdout).toMatch(/\n└─ ✗ acme-broken FAILED \(after 1 attempts\)$/);
    expect(outcome.stdout).not.toContain('[2/2]');
    expect(outcome.stderr).toContain('must be between 1 and 65535');
  });

  test('goes on with --best-effort, reports at the end, and ends with 0', async () => {
    const outcome = await deploy(
      await bundle('acme-failing'),
      '--best-effort',
      '--retries',
      '1',
      '--no-wait',
    );
    expect(outcome.exitCode).toBe(0);
    expect(outcome.stdout).toContain('  ↺ acme-broken: attempt 1/1 failed, retrying in 5s...\n');
    expect(outcome.stdout).toContain('└─ ✗ acme-broken FAILED (after 2 attempts)\n');
    expect(outcome.stdout).toContain('⚠ acme-broken install failed, continuing (--best-effort)\n');
    expect(outcome.stdout).toContain('└─ ✓ acme-probe installed\n');
    expect(outcome.stdout).toContain('✗ Deployment completed with failures (--best-effort): acme-broken\n');
    expect(outcome.stdout).not.toContain(SUCCESS);
  });

  test('passes on what helm prints, however much', async () => {
    const outcome = await deploy(await bundle('acme-noisy'), '--retries', '0', '--no-wait');
    expect(outcome.exitCode, outcome.stderr).toBe(0);
    expect(outcome.stdout).toContain(`note 19999: `);
    expect(outcome.stdout).toContain('x'.repeat(65536));
    expect(outcome.stdout).toContain(SUCCESS);
  });

  test('puts the restart of the DRA plugin off while the driver may change, from v0.22 on', async () => {
    const outcome = await deploy(
      await bundle('acme-deferral'),
      '--best-effort',
      '--retries',
      '0',
      '--no-wait',
    );
    const [major = 0, minor = 0] = aicr.release.version.slice(1).split('.').map(Number);
    const defers = major > 0 || minor >= 22;
    expect(outcome.stdout).toContain(SUCCESS);
    expect(
      outcome.stdout.includes(
        '⚠ DRA kubelet plugin restart blocked, retry needed for: nvidia-dra-driver-gpu',
      ),
    ).toBe(defers);
    expect(outcome.exitCode).toBe(defers ? 2 : 0);
  }, 180_000);

  test('waits for a component, and goes on when it is ready', async () => {
    const running = begin(await bundle('acme-slow'), ['--retries', '0']);
    // Bound by hand: a server without controllers has nobody who binds a claim to its volume.
    const bound = JSON.stringify({ status: { phase: 'Bound' } });
    const bind = () =>
      kubectl(
        'patch',
        'pvc',
        'acme-slow',
        '-n',
        'acme-slow',
        '--subresource=status',
        '--type=merge',
        '-p',
        bound,
      );
    await waitForRelease('acme-slow', 'pending-install');
    expect(running.exitCode).toBeNull();
    while ((await bind()).exitCode !== 0) await delay(200);
    const { exitCode, stdout, stderr } = await running;
    expect(exitCode, stderr).toBe(0);
    expect(stdout).toContain(SUCCESS);
    await forget('acme-slow');
  });

  test('a SIGTERM to the process group ends it with 130, and helm marks the release failed', async () => {
    const running = begin(await bundle('acme-slow'), ['--retries', '0']);
    await waitForRelease('acme-slow', 'pending-install');
    process.kill(-(running.pid ?? 0), 'SIGTERM');
    expect((await running).exitCode).toBe(130);
    await waitForRelease('acme-slow', 'failed');
    await forget('acme-slow');
  });

  test('refuses arguments on stdout', async () => {
    const dir = await bundle('acme');
    expect(await deploy(dir, '--nope')).toEqual({
      exitCode: 1,
      stdout: 'Error: unknown option: --nope\nUsage: ./deploy.sh [--no-wait] [--best-effort] [--retries N]',
      stderr: '',
    });
    expect((await deploy(dir, '--retries')).stdout).toBe('Error: --retries requires a value');
    expect((await deploy(dir, '--retries', 'x')).stdout).toBe(
      'Error: --retries requires a non-negative integer',
    );
  });

  test('a namespace on its way out fails the pre-flight; an API that is not there does not', async () => {
    const dir = await bundle('acme-failing');
    await kubectl('delete', 'namespace', 'acme-broken', '--wait=false');
    const outcome = await deploy(dir, '--retries', '0');
    expect(outcome.exitCode).toBe(1);
    expect(outcome.stdout).toContain(
      "ERROR: namespace 'acme-broken' is still terminating from a previous install.",
    );
    expect(outcome.stdout).toContain('✗ Pre-flight checks failed');
    await kubectl('get', 'namespace', 'acme-broken', '-o', 'json').then(({ stdout }) => {
      const gone = JSON.stringify({ ...JSON.parse(stdout), spec: { finalizers: [] } });
      const uri = '/api/v1/namespaces/acme-broken/finalize';
      const args = ['--kubeconfig', api.kubeconfig, 'replace', '--raw', uri, '-f', '-'];
      return execa(toolPath('kubectl'), args, { input: gone });
    });
    const { exitCode, stdout } = await begin(dir, ['--retries', '0'], { KUBECONFIG: '/nowhere' });
    expect(exitCode).toBe(1);
    expect(stdout).toContain('✓ Pre-flight checks passed');
    expect(stdout).toContain('└─ ✗ acme-broken FAILED (after 1 attempts)');
  });
});

/** Waits until the newest revision of a release has a status. */
async function waitForRelease(name: string, status: string): Promise<void> {
  const selector = `owner=helm,name=${name},status=${status}`;
  for (;;) {
    const { stdout } = await kubectl('get', 'secrets', '-n', name, '-l', selector, '-o', 'name');
    if (stdout !== '') return;
    await delay(200);
  }
}

/** Takes a release and its claim away without helm. */
async function forget(name: string): Promise<void> {
  await kubectl('delete', 'secret', '-n', name, '-l', 'owner=helm');
  await kubectl('patch', 'pvc', name, '-n', name, '--type=merge', '-p', '{"metadata":{"finalizers":null}}');
  await kubectl('delete', 'pvc', '-n', name, name, '--wait=false');
}
