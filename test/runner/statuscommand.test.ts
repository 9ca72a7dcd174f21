/** `nvidia-aicr-chart status` over a real API server; the test plays the Job controller, the kubelet and the runner. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import type { RunStatus } from '../../src/contract/index.ts';
import { scratchFolder } from '../render/chart.ts';
import { documentOf } from './documents.ts';
import { RUNNING } from './pod-states.ts';
import { command, ReleaseObjects, unreachable } from './release-objects.ts';
import { statusJson } from './status-json.ts';

describe('a run with a document', () => {
  test('that goes on is shown whole, and is 2', async () => {
    const world = await ReleaseObjects.open();
    const job = await world.install();
    const uid = await world.pod(job.name, RUNNING);
    const document = documentOf(job, { pod: { name: 'p', uid, node: 'node-1' } });
    await world.write(document);
    const { code, stdout, stderr } = await world.status('gpu');
    expect([code, stderr]).toEqual([2, '']);
    const get = (name: string) => `    kubectl get configmap ${name} -n ns -o jsonpath=`;
    expect(stdout.split('\n')).toEqual([
      'Release gpu in namespace ns: Running',
      'Message:     component 2 of 3, gpu-operator: Installing',
      '',
      `Run:         ${job.name}, runId 7, attempt 2`,
      'Pod:         p on node-1',
      'Time:        began 2026-11-30 10:00:00 UTC, as of 2026-11-30 10:01:05 UTC, stops itself at 2026-11-30 12:59:00 UTC',
      'Chart:       0.3.0',
      `aicr:        v1.2.0 (linux/amd64, sha256 ${'ab'.repeat(32)})`,
      'Criteria:    accelerator=h200',
      'Data pack:   r.example/pack:1 (sha256:01)',
      'Recipe:      3 components from base, acme (sha256:03)',
      'Bundle:      sha256:02',
      '',
      'Steps',
      '  download     Succeeded   10:00:01 3 s         it is here (3 attempts)',
      "  deploy       Running     10:00:10             run the bundle's deploy.sh",
      '  validate     Pending                          validate the cluster',
      '',
      'Components (1 of 3 installed)',
      '  1/3    Installed   cert-manager',
      '  2/3    Installing  gpu-operator in gpu (2 attempts)',
      '',
      'Upgrade:     NeedsAttention: 1 component changes, and 1 of them needs attention: nfd 1 -> 2 is manual',
      '  manual      nfd 1 -> 2 (recorded)',
      '              First: No node is tuned.',
      '              1. Grant the rights.',
      '',
      'Results',
      '  aicr-recipe: the resolved recipe and its summary',
      `${get('aicr-recipe')}'{.data.summary\\.txt}'`,
      '  aicr-evidence-bundle: the evidence bundle, gzipped, and its pointer once published',
      `${get('aicr-evidence-bundle')}'{.binaryData.evidence\\.tgz}' | base64 -d > evidence.tgz`,
      '  big: the verdict of the validation (with big-1 to big-3)',
      `${get('big')}'{.data.READ-THIS\\.txt}'`,
      '',
      'Warnings',
      '  thin criteria',
      '',
      `Log:         kubectl logs -n ns job/${job.name} -c installer`,
      '',
    ]);
    expect(await statusJson(world)).toEqual({ code: 2, status: document });
  });

  const finishedAt = '2026-11-30T11:02:03.000Z';
  test.each<[string, Partial<RunStatus>, number, RegExp]>([
    ['succeeded is 0', { phase: 'Succeeded', message: 'all is well' }, 0, /took 1 h 2 min/],
    [
      'succeeded with failures is 0, with a warning',
      { phase: 'SucceededWithFailures', message: 'nfd failed' },
      0,
      /^WARNING: not everything succeeded: nfd failed$/m,
    ],
    [
      'failed is 1, with the last lines and how to run again',
      {
        phase: 'Failed',
        reason: 'DeployFailed',
        logTail: ['Error: no'],
        rerun: 'helm upgrade',
        hint: 'Mend it.',
      },
      1,
      /\(DeployFailed\)\n.*\nWhat to do: {2}Mend it\.\nRun again: {3}helm upgrade\n[\s\S]*Last lines of what failed\n {2}Error: no/,
    ],
    [
      'was interrupted is 1',
      { phase: 'Interrupted', reason: 'Interrupted' },
      1,
      /: Interrupted \(Interrupted\)/,
    ],
    ['waits for a Secret is 2', { phase: 'WaitingForSecret', finishedAt: '' }, 2, /: WaitingForSecret/],
    [
      'proved something says what',
      {
        phase: 'Succeeded',
        validation: { outcome: 'Passed', exitCode: 0, tests: 4, passed: 3, failed: 0, skipped: 1, other: 0 },
        evidence: { sha256: 'sha256:04', oci: 'r.example/proof:1', digest: 'sha256:05' },
      },
      0,
      /Validation: {2}Passed: 4 checks, 3 passed, 0 failed, 0 inconclusive, 1 skipped\nEvidence: {4}r\.example\/proof:1@sha256:05/,
    ],
  ])('that %s', async (_, change, code, shown) => {
    const world = await ReleaseObjects.open();
    const job = await world.install();
    const uid = await world.pod(job.name, RUNNING);
    await world.write(documentOf(job, { pod: { name: 'p', uid, node: '' }, finishedAt, ...change }));
    const outcome = await world.status('gpu');
    expect(outcome.code).toBe(code);
    expect(outcome.stdout).toMatch(shown);
  });

  test('is still known when its Job is gone', async () => {
    const world = await ReleaseObjects.open();
    const job = await world.install();
    await world.write(documentOf(job, { phase: 'Succeeded', finishedAt }));
    await world.deleteJob(job.name);
    expect((await world.status()).code).toBe(0);
    await world.write(documentOf(job));
    const { code, status } = await statusJson(world);
    expect([code, status.phase, status.reason]).toEqual([1, 'Failed', 'JobGone']);
  });
});

describe('--follow', () => {
  test('says what changes, until the run has ended', async () => {
    const world = await ReleaseObjects.open();
    const job = await world.install();
    const uid = await world.pod(job.name, RUNNING);
    const pod = { name: 'p', uid, node: 'n' };
    await world.write(documentOf(job, { pod }));
    const following = await world.follow('gpu');
    await following.until(/component 2 of 3, gpu-operator: Installing, attempt 2/);
    await world.write(
      documentOf(job, {
        ...{
          pod,
          phase: 'Failed',
          reason: 'DeployFailed',
          message: 'it broke',
          finishedAt: '2026-11-30T10:02:00.000Z',
        },
        updatedAt: '2026-11-30T10:02:00.000Z',
      }),
    );
    const { code, stdout } = await following.ended;
    expect(code).toBe(1);
    const lines = stdout.split('\n');
    expect(lines.slice(0, lines.indexOf(''))).toEqual([
      `10:01:05 run ${job.name}`,
      '10:01:05 step download: Succeeded after 3 s: it is here',
      "10:01:05 step deploy: Running: run the bundle's deploy.sh",
      '10:01:05 component 1 of 3, cert-manager: Installed',
      '10:01:05 component 2 of 3, gpu-operator: Installing, attempt 2',
      '10:01:05 warning: thin criteria',
      '10:01:05 Running: component 2 of 3, gpu-operator: Installing',
      '10:02:00 Failed (DeployFailed): it broke',
    ]);
    expect(stdout).toContain('Release gpu in namespace ns: Failed (DeployFailed)');
  });
});

describe('which release is meant', () => {
  test('is clear when there is one, and asked when there are two or none', async () => {
    const world = await ReleaseObjects.open();
    expect(await world.status()).toEqual({
      ...{ code: 3, stdout: '' },
      stderr: 'This namespace has no release of nvidia-aicr; name another with -n.\n',
    });
    await world.install();
    expect((await world.status()).stdout).toContain('Release gpu in namespace');
    await world.install({}, 'second');
    expect((await world.status()).stderr).toBe(
      'This namespace has several releases; name one: gpu, second\n',
    );
    expect((await world.status('second')).stdout).toContain('Release second in namespace');
    expect(await world.status('third')).toMatchObject({
      code: 3,
      stderr: 'There is no Job of release third in this namespace, and no status of one.\n',
    });
  });

  test('is asked for an umbrella chart with two instances, which go by the names of their objects', async () => {
    const world = await ReleaseObjects.open();
    const stack = await world.install({ fullnameOverride: 'gpu-stack' });
    await world.write(
      documentOf(stack, { phase: 'Failed', finishedAt: '2026-11-30T11:00:00Z' }),
      'gpu-stack',
    );
    expect((await world.status('gpu')).stdout).toContain('Release gpu in namespace ns: Failed');
    const check = await world.install({ fullnameOverride: 'gpu-check', runId: 1 });
    await world.write(
      documentOf(check, { phase: 'Succeeded', finishedAt: '2026-11-30T11:00:00Z' }),
      'gpu-check',
    );
    const which = 'name one: gpu-check, gpu-stack\n';
    expect(await world.status('gpu')).toMatchObject({
      code: 3,
      stderr: `Release gpu has several instances of the chart; ${which}`,
    });
    expect(await world.status()).toMatchObject({
      code: 3,
      stderr: `This namespace has several releases; ${which}`,
    });
    expect((await world.status('gpu-stack')).code).toBe(1);
    expect((await world.status('gpu-check')).code).toBe(0);
    for (const { name } of [stack, check]) await world.deleteJob(name);
    expect((await world.status('gpu-stack')).code).toBe(1);
    expect((await world.status('gpu')).stderr).toContain(which);
  });
});

/** A PATH with a kubectl that greets before it answers. */
function talkativeKubectl(): string {
  const folder = scratchFolder('talkative');
  const script = '#!/bin/sh\necho Hello\necho "{}"\n';
  writeFileSync(join(folder, 'kubectl'), script, { mode: 0o755 });
  return folder;
}

describe('what cannot be asked', () => {
  test.each([
    [['status', 'a', 'b'], 'Too many arguments: b'],
    [['status', '--output', 'yaml'], '--output yaml is not known: use text or json'],
    [['status', '--nope'], "Unknown option '--nope'; nvidia-aicr-chart --help"],
  ])('%j is refused with 3', async (args, message) => {
    const { code, stdout, stderr } = await command(args);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test.each<[string, string[], string, RegExp]>([
    ['without kubectl', [], scratchFolder('empty'), /^kubectl is not on the PATH\. .*install it/],
    [
      'behind a script in kubectl’s place that has words of its own',
      [],
      talkativeKubectl(),
      /^kubectl get jobs answered something that is not JSON: Hello$/m,
    ],
    ['without a kubeconfig', ['--kubeconfig', '/nowhere'], '', /^kubectl get jobs: .*\/nowhere/],
    [
      'without the context',
      ['--kubeconfig', inject('apiServer').kubeconfig, '--context', 'x'],
      '',
      /context/,
    ],
  ])('a cluster %s is 4', async (_, args, path, message) => {
    const { code, stdout, stderr } = await command(['status', 'gpu', ...args], path);
    expect([code, stdout]).toEqual([4, '']);
    expect(stderr).toMatch(message);
    expect(stderr.trim()).not.toContain('\n');
  });

  test.each([
    ['does not answer', { token: 'x' }, /^kubectl get jobs: .*refused/],
    ['wants a password', {}, /^kubectl asks for a user name: .*log in/],
  ])('a cluster that %s is 4', async (_, user, message) => {
    const { code, stdout, stderr } = await unreachable(user);
    expect([code, stdout]).toEqual([4, '']);
    expect(stderr).toMatch(message);
  });
});
