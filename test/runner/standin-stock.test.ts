/** The stand-in's own catalogue, deployed on a real API server and found there again. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiServer, startApiServer, toolPath } from '../../hack/cluster/index.ts';
import { COLD_BUILD, type Outcome, openProgram, type Program, REAL } from '../standin/program.ts';
import { toolbox } from '../standin/toolbox.ts';

// Upstream's own charts need a way out.
describe.skipIf(REAL)('the stand-in’s stock recipe', () => {
  let aicr: Program;
  let api: ApiServer;
  beforeAll(async () => {
    aicr = await openProgram();
    api = await startApiServer();
  }, COLD_BUILD);
  afterAll(async () => {
    api.stop();
    await aicr.remove();
  });

  const deploy = async (dir: string): Promise<Outcome> => {
    const env = { PATH: await toolbox(aicr.dir, 4), HOME: aicr.dir, KUBECONFIG: api.kubeconfig };
    const script = [path.join(aicr.dir, dir, 'deploy.sh'), '--no-wait', '--retries', '0'];
    const {
      exitCode = -1,
      stdout,
      stderr,
    } = await execa('bash', script, { env, extendEnv: false, reject: false });
    return { exitCode, stdout, stderr };
  };

  test('defers without GPU nodes, unless the nodes bring the driver', async () => {
    await aicr.run(['recipe', '--accelerator', 'h100', '-o', 'stock.yaml']);
    await aicr.run(['bundle', '-r', 'stock.yaml', '-o', 'stock']);
    const deferred = await deploy('stock');
    expect(deferred.exitCode, deferred.stderr).toBe(2);
    expect(deferred.stdout).toContain('│  (async component');
    const sets = [
      'gpuoperator:driver.enabled=false',
      'dradriver:nvidiaDriverRoot=/',
      'nv-sentinel:labeler.assumeDriverInstalled=true',
    ];
    await aicr.run([
      'bundle',
      '-r',
      'stock.yaml',
      '-o',
      'host-driver',
      ...sets.flatMap((set) => ['--set', set]),
    ]);
    const done = await deploy('host-driver');
    expect(done.exitCode, done.stderr).toBe(0);
    expect(done.stdout).toContain('✓ All components installed successfully.');
  });

  test('is found in the cluster by validate and by upgrade-check', async () => {
    const tools = { PATH: await toolbox(aicr.dir, 4), KUBECONFIG: api.kubeconfig };
    const args = ['validate', '-r', 'stock.yaml', '--phase', 'deployment', '-o', 'ctrf.json'];
    const validated = await aicr.run(args, tools);
    expect(validated.exitCode, validated.stderr).toBe(0);
    const report = JSON.parse(await readFile(path.join(aicr.dir, 'ctrf.json'), 'utf8')) as {
      results: { tests: { name: string; status: string }[] };
    };
    expect(report.results.tests).toContainEqual(
      expect.objectContaining({ name: 'expected-resources', status: 'passed' }),
    );
    const check = [
      'upgrade-check',
      '--from',
      'cluster',
      '--to',
      'stock.yaml',
      '--deployer',
      'helm',
      '-t',
      'json',
    ];
    const checked = await aicr.run(check, tools);
    expect(checked.exitCode, checked.stderr).toBe(0);
    expect(JSON.parse(checked.stdout)).toMatchObject({ source: { matched: 11 }, components: [] });
    const forget = ['delete', 'secret', '-n', 'cert-manager', '-l', 'owner=helm'];
    await execa(toolPath('kubectl'), ['--kubeconfig', api.kubeconfig, ...forget]);
    expect((await aicr.run(args, tools)).exitCode).toBe(8);
    expect((await aicr.run([...args, '--fail-on-error=false'], tools)).exitCode).toBe(0);
  });
});
