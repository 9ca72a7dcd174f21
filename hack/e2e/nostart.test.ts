import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import type { RunStatus } from '../../src/contract/index.ts';
import { eventually } from './patience.ts';
import { type Scenario, test } from './scenario.ts';

/** The command, as the suite's setup has built it. */
const COMMAND = fileURLToPath(new URL('../../dist/cli.mjs', import.meta.url));

/** What `nvidia-aicr-chart status` says of the release, and its exit code. */
async function ask(
  { cluster, namespace }: Scenario,
  ...args: string[]
): Promise<{ exitCode: number | undefined; stdout: string }> {
  const argv = [process.execPath, COMMAND, 'status', 'aicr', '--namespace', namespace.name, ...args];
  const { exitCode, stdout } = await cluster.run(argv, { reject: false });
  return { exitCode, stdout };
}

/** Waits until the command has found out what keeps the run from starting. */
async function obstacle(scenario: Scenario): Promise<RunStatus> {
  return await eventually('what keeps the run from starting', async () => {
    const { exitCode, stdout } = await ask(scenario, '--output', 'json');
    const status = JSON.parse(stdout) as RunStatus;
    expect([exitCode, status.phase]).toEqual([2, 'Pending']);
    return status.hint === '' ? undefined : status;
  });
}

const CRITERIA = { service: 'acme', accelerator: 'h200', intent: 'training' };

describe('nvidia-aicr-chart status says what keeps a run from starting', () => {
  test('an image that cannot be pulled', async ({ scenario }) => {
    await scenario.release().install({ ...CRITERIA, nodeImage: 'images.invalid/nowhere:1' });
    const { message, hint } = await obstacle(scenario);
    expect(message).toMatch(/^container node .* does not start: \w+ of images\.invalid\/nowhere:1/);
    expect(hint).toContain('nodeImage');
  });

  test('a pod that no node takes', async ({ scenario }) => {
    await scenario.release().install({ ...CRITERIA, job: { nodeSelector: { 'acme.example/none': 'x' } } });
    const { reason, message } = await obstacle(scenario);
    expect(reason).toBe('Unschedulable');
    expect(message).toContain("didn't match Pod's node affinity/selector");
  });

  test('a quota', async ({ scenario }) => {
    await scenario.namespace.apply({
      ...{
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'none' },
        spec: { hard: { pods: '0' } },
      },
    });
    await scenario.release().install(CRITERIA);
    const { reason, message, hint } = await obstacle(scenario);
    expect(reason).toBe('FailedCreate');
    expect(message).toContain('exceeded quota: none');
    expect(hint).toContain('quota of the namespace');
  });

  test('Pod Security', async ({ scenario }) => {
    const job = {
      extraVolumes: [{ name: 'host', hostPath: { path: '/' } }],
      extraVolumeMounts: [{ name: 'host', mountPath: '/host' }],
    };
    await scenario.release().install({ ...CRITERIA, job });
    const { message, hint } = await obstacle(scenario);
    expect(message).toContain('violates PodSecurity "restricted:latest"');
    expect(hint).toContain('job.extraVolumes');
  });
});

test('nvidia-aicr-chart status follows a run to its end, and then shows all of it', async ({ scenario }) => {
  const { values } = await scenario.pack('acme');
  await scenario.packSecret();
  await scenario.release().install(values);
  const { exitCode, stdout } = await ask(scenario, '--follow');
  expect(exitCode, stdout).toBe(0);
  expect(stdout).toMatch(/^\d\d:\d\d:\d\d step deploy: Succeeded after .*: all 2 components are installed$/m);
  expect(stdout).toContain(`Release aicr in namespace ${scenario.namespace.name}: Succeeded`);
  expect(stdout).toContain('Components (2 of 2 installed)');
});
