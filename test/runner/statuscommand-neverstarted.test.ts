/** What `nvidia-aicr-chart status` says of a run whose runner never came up. */
import { describe, expect, test } from 'vitest';
import { documentOf } from './documents.ts';
import { containerStatus, RUNNING, waiting } from './pod-states.ts';
import { type PodStatus, ReleaseObjects } from './release-objects.ts';
import { statusJson } from './status-json.ts';

/** What the kubelet says once a pod is set up, and how many seconds ago. */
const OVER = [
  ['Pulling', 'Pulling image r', 20],
  ['Pulled', 'Image r already present', 15],
  ['Created', 'Created container node', 10],
  ['Started', 'Started container node', 5],
] as const;

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
    const waitingStill = await statusJson(world);
    expect([waitingStill.code, waitingStill.status.phase]).toEqual([2, 'Pending']);
    expect(waitingStill.status.message).toBe(`the Job cannot make its pod: Error creating: ${message}`);
    expect(waitingStill.status.hint).toMatch(hint);
    await world.condition(
      job.name,
      'Failed',
      'DeadlineExceeded',
      'Job was active longer than specified deadline',
    );
    const over = await statusJson(world);
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
      'a queue gates it',
      {
        phase: 'Pending',
        conditions: [
          {
            type: 'PodScheduled',
            status: 'False',
            reason: 'SchedulingGated',
            message: 'Scheduling is blocked due to non-empty scheduling gates',
          },
        ],
      },
      /^the pod \S+ is held back .*: Scheduling is blocked/,
      /^A queue such as Kueue/,
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
    const { code, status } = await statusJson(world);
    expect([code, status.phase]).toEqual([2, 'Pending']);
    expect(status.message).toMatch(message);
    expect(status.hint).toMatch(hint);
    expect(status).toMatchObject({ aicr: { version: 'v1.2.0' }, criteria: { accelerator: 'h100' } });
  });

  test.each([
    [
      'FailedMount',
      'configmap "gpu-run-1" not found',
      'waits for a volume to be mounted',
      /^Make what it names/,
    ],
    ['FailedAttachVolume', 'timed out', 'waits for a volume to be mounted', /^Make what it names/],
    [
      'FailedCreatePodSandBox',
      'no runtime for "nvidia" is configured',
      'cannot be set up on its node',
      /job\.runtimeClassName/,
    ],
  ])('because of %s says so, until it is over', async (reason, message, what, hint) => {
    const world = await ReleaseObjects.open();
    const job = await world.install();
    const uid = await world.pod(job.name, waiting('node', 'ContainerCreating'));
    await world.event('Pod', 'p', uid, 'Scheduled', 'assigned to n', 60);
    await world.event('Pod', 'p', uid, reason, message, 30);
    const { status } = await statusJson(world);
    expect(status.reason).toBe(reason);
    expect(status.message).toMatch(new RegExp(`^the pod \\S+ ${what}: ${message}$`));
    expect(status.hint).toMatch(hint);
    for (const [over, text, ago] of OVER) {
      await world.event('Pod', 'p', uid, over, text, ago);
      expect((await statusJson(world)).status).toMatchObject({
        reason: 'Starting',
        message: expect.stringMatching(new RegExp(` is starting: ${text}$`)),
        hint: '',
      });
    }
  });

  test('because its Job is suspended says so', async () => {
    const world = await ReleaseObjects.open();
    const job = await world.install();
    await world.suspend(job.name);
    expect((await statusJson(world)).status).toMatchObject({ reason: 'Suspended', phase: 'Pending' });
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
    const running = await statusJson(world);
    expect([running.code, running.status.phase]).toEqual([2, 'Running']);
    expect(running.status.message).toContain('statusConfigMap is none');
    await world.condition(job.name, 'Complete');
    expect((await statusJson(world)).code).toBe(0);
  });
});
