/** `nvidia-aicr-chart status` over a real API server; the test plays the Job controller, the kubelet and the runner. */
import { Ajv } from 'ajv';
import { describe, expect, inject, test } from 'vitest';
import type { RunStatus } from '../../src/contract/index.ts';
import statusSchema from '../../src/contract/status.schema.json' with { type: 'json' };
import { scratchFolder } from '../render/chart.ts';
import { documentOf } from './documents.ts';
import { command, type PodStatus, ReleaseObjects, unreachable } from './release-objects.ts';

const keepsContract = new Ajv().compile(statusSchema);

const RUNNING: PodStatus = {
  phase: 'Running',
  containerStatuses: [containerStatus('installer', { running: { startedAt: '2026-11-30T10:00:00Z' } })],
};

function containerStatus(name: string, state: object): object {
  return { name, state, image: `r.example/${name}:1`, imageID: '', ready: false, restartCount: 0 };
}
const installerEnded = (exitCode: number, reason: string, message = ''): PodStatus => ({
  phase: exitCode === 0 ? 'Succeeded' : 'Failed',
  containerStatuses: [containerStatus('installer', { terminated: { exitCode, reason, message } })],
});
const waiting = (name: 'node' | 'oras' | 'installer', reason: string, message = ''): PodStatus => {
  const own = [containerStatus(name, { waiting: { reason, message } })];
  return {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'True' }],
    ...(name === 'installer' ? { containerStatuses: own } : { initContainerStatuses: own }),
  };
};

/** The document that the command gives to programs. */
async function json(world: ReleaseObjects): Promise<{ code: number; status: RunStatus }> {
  const { code, stdout, stderr } = await world.status('gpu', '--output', 'json');
  const status = JSON.parse(stdout || 'null') as RunStatus;
  expect(keepsContract(status), `${stderr}${JSON.stringify(keepsContract.errors)}`).toBe(true);
  return { code, status };
}

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
      'Time:        began 2026-11-30 10:00:00 UTC, this is of 2026-11-30 10:01:05 UTC, stops itself at 2026-11-30 12:59:00 UTC',
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
    expect(await json(world)).toEqual({ code: 2, status: document });
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
    const { code, status } = await json(world);
    expect([code, status.phase, status.reason]).toEqual([1, 'Failed', 'JobGone']);
  });
});

describe('an installer that was killed', () => {
  test.each<[string, PodStatus, string, RegExp]>([
    ['for want of memory', installerEnded(137, 'OOMKilled'), 'OOMKilled', /OOMKilled, exit code 137/],
    ['by SIGKILL', installerEnded(137, 'Error'), 'Error', /killed \(SIGKILL, exit code 137\)/],
    [
      'by something else',
      installerEnded(139, 'Error', 'core dumped'),
      'Error',
      /exit code 139 .*: core dumped/,
    ],
    [
      'with its pod, by the kubelet',
      { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' },
      'Evicted',
      /evicted: The node was low on resource: memory/,
    ],
  ])('%s counts as failed, whatever its document says', async (_, status, reason, message) => {
    const world = await ReleaseObjects.open();
    const job = await world.install();
    await world.write(documentOf(job));
    await world.pod(job.name, status);
    await world.condition(job.name, 'Failed', 'PodFailurePolicy', 'container installer failed');
    const seen = await json(world);
    expect([seen.code, seen.status.phase, seen.status.reason]).toEqual([1, 'Failed', reason]);
    expect(seen.status.message).toMatch(message);
    expect(seen.status.message).toContain('it was at step deploy');
    expect(seen.status.hint).not.toBe('');
    expect(seen.status.components[1]?.state).toBe('Interrupted');
  });

  test('with its node counts as failed by what the Job says', async () => {
    const world = await ReleaseObjects.open();
    const job = await world.install();
    await world.write(documentOf(job));
    await world.condition(
      job.name,
      'Failed',
      'DeadlineExceeded',
      'Job was active longer than specified deadline',
    );
    const { stdout, code } = await world.status('gpu');
    expect(code).toBe(1);
    expect(stdout).toContain('(DeadlineExceeded)');
    expect(stdout).toContain('Job was active longer than specified deadline');
  });

  test('but whose Job makes another pod still runs', async () => {
    const world = await ReleaseObjects.open();
    const job = await world.install();
    await world.write(documentOf(job));
    const { stdout, code } = await world.status('gpu');
    expect(code).toBe(2);
    expect(stdout).toContain('is gone; the Job makes another');
  });

  test.each<[string, PodStatus | null]>([
    [
      'evicted, and is still there',
      {
        ...installerEnded(81, 'Error'),
        reason: 'Evicted',
        conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' }],
      },
    ],
    ['drained away', null],
  ])('cleanly, because its pod was %s, still runs until the Job has failed', async (_, status) => {
    const world = await ReleaseObjects.open();
    const job = await world.install();
    const uid = status === null ? 'gone' : await world.pod(job.name, status);
    const end = {
      phase: 'Interrupted',
      reason: 'Interrupted',
      message: 'interrupted at step deploy',
    } as const;
    await world.write(
      documentOf(job, { ...end, finishedAt: '2026-11-30T11:00:00Z', pod: { name: 'p', uid, node: '' } }),
    );
    const seen = await json(world);
    expect([seen.code, seen.status.phase, seen.status.reason]).toEqual([2, 'Running', '']);
    expect(seen.status.message).toMatch(
      /^the pod p is gone.*; the Job makes another\. Before: interrupted at/,
    );

    await world.condition(job.name, 'Failed', 'BackoffLimitExceeded', 'no more');
    const failed = await json(world);
    expect([failed.code, failed.status.phase, failed.status.reason]).toEqual([
      1,
      'Interrupted',
      'Interrupted',
    ]);
  });

  test('after its last word, which it could not write, has succeeded', async () => {
    const world = await ReleaseObjects.open();
    const job = await world.install();
    await world.write(documentOf(job));
    await world.pod(
      job.name,
      installerEnded(0, 'Completed', 'SucceededWithFailures: nfd failed (aicr v1.2.0)\nWarning: x'),
    );
    await world.condition(job.name, 'Complete');
    const { code, status } = await json(world);
    expect([code, status.phase]).toEqual([0, 'SucceededWithFailures']);
    expect(status.message).toMatch(/^nfd failed \(aicr v1\.2\.0\) \(the status document does not say so/);
  });
});

describe('a run that never started', () => {
  test.each<[string, string, RegExp]>([
    ['a quota', 'pods "x" is forbidden: exceeded quota: small, requested: cpu=1', /quota of the namespace/],
    [
      'Pod Security',
      'pods "x" is forbidden: violates PodSecurity "restricted:latest": y',
      /security contexts/,
    ],
    [
      'a missing ServiceAccount',
      'error looking up service account ns/x: serviceaccount "x" not found',
      /serviceAccount\.create/,
    ],
    ['a webhook', 'admission webhook "p.example" denied the request: no', /A policy of the cluster/],
    ['a LimitRange', 'pods "x" is forbidden: maximum cpu usage per Container is 500m', /LimitRange/],
    ['a missing PriorityClass', 'no PriorityClass with name high was found', /priorityClassName/],
    ['anything else', 'something new', /Job tries again by itself/],
  ])('because of %s says so, and what to do', async (_, message, hint) => {
    const world = await ReleaseObjects.open();
    const job = await world.install();
    await world.event('Job', job.name, job.uid, 'FailedCreate', `Error creating: ${message}`);
    const waitingStill = await json(world);
    expect([waitingStill.code, waitingStill.status.phase]).toEqual([2, 'Pending']);
    expect(waitingStill.status.message).toBe(`the Job cannot make its pod: Error creating: ${message}`);
    expect(waitingStill.status.hint).toMatch(hint);
    await world.condition(
      job.name,
      'Failed',
      'DeadlineExceeded',
      'Job was active longer than specified deadline',
    );
    const over = await json(world);
    expect([over.code, over.status.phase]).toEqual([1, 'Failed']);
    expect(over.status.message).toContain(message);
    expect(over.status.hint).toMatch(hint);
  });

  test.each<[string, PodStatus, RegExp, RegExp]>([
    [
      'no node takes it',
      {
        phase: 'Pending',
        conditions: [
          {
            type: 'PodScheduled',
            status: 'False',
            reason: 'Unschedulable',
            message: '0/3 nodes are available',
          },
        ],
      },
      /^no node takes the pod \S+: 0\/3 nodes are available$/,
      /job\.nodeSelector/,
    ],
    [
      'the first image cannot be pulled',
      waiting('node', 'ImagePullBackOff', 'Back-off pulling image'),
      /container node .*: ImagePullBackOff of r\.example\/node:1: Back-off/,
      /^Correct nodeImage,.*imagePullSecrets/,
    ],
    ['the second cannot', waiting('oras', 'ErrImagePull', 'not found'), /ErrImagePull/, /^Correct orasImage/],
    [
      'the last has no image name',
      waiting('installer', 'InvalidImageName'),
      /InvalidImageName/,
      /^Correct runtimeImage/,
    ],
    [
      'it cannot be configured',
      waiting('installer', 'CreateContainerConfigError', 'secret "x" not found'),
      /CreateContainerConfigError: secret "x" not found/,
      /kubelet/,
    ],
    [
      'an init container failed',
      {
        phase: 'Pending',
        conditions: [{ type: 'PodScheduled', status: 'True' }],
        initContainerStatuses: [
          containerStatus('node', {
            terminated: { exitCode: 3, reason: 'Error', message: 'no node here\n' },
          }),
        ],
      },
      /container node .* ended with exit code 3 \(Error\): no node here$/,
      /kubectl logs \S+ -n \S+ -c node/,
    ],
    ['it only needs time', waiting('node', 'PodInitializing'), /is starting$/, /^$/],
  ])('because %s says so, and what to do', async (_, podStatus, message, hint) => {
    const world = await ReleaseObjects.open();
    const job = await world.install();
    await world.pod(job.name, podStatus);
    const { code, status } = await json(world);
    expect([code, status.phase]).toEqual([2, 'Pending']);
    expect(status.message).toMatch(message);
    expect(status.hint).toMatch(hint);
    expect(status).toMatchObject({ aicr: { version: 'v1.2.0' }, criteria: { accelerator: 'h100' } });
  });

  test('because a volume cannot be mounted says which', async () => {
    const world = await ReleaseObjects.open();
    const job = await world.install();
    const uid = await world.pod(job.name, waiting('node', 'ContainerCreating'));
    await world.event('Pod', 'p', uid, 'FailedMount', 'configmap "gpu-run-1" not found');
    expect((await json(world)).status.message).toContain('configmap "gpu-run-1" not found');
  });

  test('because its Job is suspended says so', async () => {
    const world = await ReleaseObjects.open();
    const job = await world.install();
    await world.suspend(job.name);
    expect((await json(world)).status).toMatchObject({ reason: 'Suspended', phase: 'Pending' });
  });

  test('is not taken for the run before it, which is named', async () => {
    const world = await ReleaseObjects.open();
    const first = await world.install();
    await world.write(documentOf(first, { phase: 'Succeeded', message: 'all is well' }));
    await world.deleteJob(first.name);
    const second = await world.install({ runId: 'next' });
    const { code, stdout } = await world.status('gpu');
    expect(code).toBe(2);
    expect(stdout).toContain(`Run:         ${second.name}`);
    expect(stdout).toContain('the Job has not made a pod yet');
    expect(stdout).toContain(`Run before:  ${first.name}: Succeeded: all is well`);
  });

  test('of a release without a status document is told by its pod', async () => {
    const world = await ReleaseObjects.open();
    const job = await world.install({ statusConfigMap: 'none' });
    await world.pod(job.name, RUNNING);
    const running = await json(world);
    expect([running.code, running.status.phase]).toEqual([2, 'Running']);
    expect(running.status.message).toContain('statusConfigMap is none');
    await world.condition(job.name, 'Complete');
    expect((await json(world)).code).toBe(0);
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
});

describe('what cannot be asked', () => {
  test.each([
    [['status', 'a', 'b'], 'Too many arguments: b'],
    [['status', '--output', 'yaml'], '--output yaml is not known: use text or json'],
    [['status', '--nope'], "Unknown option '--nope'"],
  ])('%j is refused with 3', async (args, message) => {
    const { code, stdout, stderr } = await command(args);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test.each<[string, string[], string, RegExp]>([
    ['without kubectl', [], scratchFolder('empty'), /^kubectl is not on the PATH\. .*install it/],
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
