import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { initOf } from './process.ts';
import { makeWorld, useProgram } from './run.ts';

useProgram();

/** A deployment that is busy with its second component until it is stopped. */
const BUSY = `
echo '┌─ [1/4] cert-manager  →  cert-manager'
echo '└─ ✓ cert-manager installed'
echo '┌─ [2/4] gpu-operator  →  gpu-operator'
echo 'waiting for pods'
`;

const alive = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

test('SIGTERM reaches the child, which may settle; the status says where the run was', async () => {
  const world = await makeWorld();
  // First the trap: the signal comes as soon as the test has seen the last line of BUSY.
  const deploy = `trap 'echo got-term; sleep 1; echo settled; exit 130' TERM
${BUSY}
sleep 600 & wait`;
  const run = await world.start({ deploy });
  await run.until(/waiting for pods/);
  run.child.kill('SIGTERM');
  await run.until(/got-term/);
  // A second one must not cut short what the first began.
  run.child.kill('SIGTERM');
  expect(await run.ended).toEqual({ code: 81, signal: null });

  expect(run.output()).toContain('settled');
  const status = await world.status();
  expect(status).toMatchObject({ phase: 'Interrupted', reason: 'Interrupted' });
  expect(status.message).toContain('component 2 of 4, gpu-operator');
  expect(status.components.map(({ name, state }) => [name, state])).toEqual([
    ['cert-manager', 'Installed'],
    ['gpu-operator', 'Interrupted'],
  ]);
  expect(status.steps.at(-1)).toMatchObject({ name: 'deploy', state: 'Interrupted' });
  expect(status.logTail).toContain('settled');
  expect(run.termination()).toMatch(/^Interrupted: .*component 2 of 4, gpu-operator/);
  expect(await world.events(run.job)).toContainEqual(
    expect.objectContaining({ type: 'Warning', reason: 'Interrupted' }),
  );
});

test('a pod that was told to stop before the program could hear it does nothing', async () => {
  const world = await makeWorld();
  const jobName = `aicr-install-${randomUUID().slice(0, 8)}`;
  await world.makeJob(jobName);
  const pods = `/api/v1/namespaces/${world.namespace}/pods`;
  const pod = await world.admin.call('POST', pods, {
    metadata: { name: `${jobName}-pod`, finalizers: ['test.example/keep'] },
    spec: {
      serviceAccountName: 'installer',
      containers: [{ name: 'installer', image: 'registry.example/runtime:1' }],
    },
  });
  await world.admin.call('DELETE', `${pods}/${jobName}-pod`);
  const run = await world.start({ jobName, podUid: pod.metadata.uid, deploy: 'echo deployed' });
  expect(await run.ended, run.output()).toEqual({ code: 81, signal: null });
  expect(await world.status()).toMatchObject({ phase: 'Interrupted', reason: 'Interrupted', steps: [] });
  expect(run.output()).not.toContain('download');
});

test('what a Secret put into the environment is shown nowhere, whether it is named or not', async () => {
  const world = await makeWorld();
  const run = await world.start({
    deploy: 'echo "key $NGC_API_KEY, login $REGISTRY_LOGIN, site $SITE"; exit 1',
    env: { NGC_API_KEY: 'nvapi-0123', REGISTRY_LOGIN: 'robot-secret', SITE: 'berlin-one' },
    spec: (spec) => ({
      ...spec,
      environment: { secret: ['NGC_API_KEY'], plain: ['SITE'], fromSecrets: true },
    }),
  });
  expect(await run.ended).toMatchObject({ code: 60 });
  const shown = 'key ***, login ***, site berlin-one';
  const status = await world.status();
  expect(status.logTail).toContain(shown);
  for (const text of [run.output(), run.termination(), JSON.stringify(status)]) {
    expect(text).toContain(shown);
    expect(text).not.toMatch(/nvapi-0123|robot-secret/);
  }
});

/** The Event by which the kubelet tells why it evicts a pod. */
const evicted = (namespace: string, uid: string, message: string): object => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: `evicted-${uid}`, namespace },
  involvedObject: { kind: 'Pod', name: 'any', namespace, uid },
  type: 'Warning',
  reason: 'Evicted',
  message,
});

test.each([
  ['Usage of EmptyDir volume "tmp" exceeds the limit "4Gi". ', 26, 'Failed', 'DiskFull'],
  ['The node was low on resource: memory. ', 81, 'Interrupted', 'Interrupted'],
])('an evicted pod says why the kubelet evicts it: %s', async (message, code, phase, reason) => {
  const world = await makeWorld();
  const podUid = randomUUID();
  const run = await world.start({ deploy: `${BUSY}\nsleep 600 & wait`, podUid });
  await run.until(/waiting for pods/);
  const events = `/api/v1/namespaces/${world.namespace}/events`;
  await world.admin.call('POST', events, evicted(world.namespace, podUid, message));
  await world.admin.call('POST', events, evicted(world.namespace, randomUUID(), 'another pod'));
  run.child.kill('SIGTERM');
  expect(await run.ended, run.output()).toEqual({ code, signal: null });
  const status = await world.status();
  expect(status).toMatchObject({ phase, reason });
  expect(status.message).toContain('component 2 of 4, gpu-operator');
  expect(status.message).toContain(message.trim());
  expect(run.termination()).toContain(message.trim());
});

test('what ignores SIGTERM is killed, with all it started', async () => {
  const world = await makeWorld();
  const deploy = `${BUSY}
trap '' TERM
bash -c 'trap "" TERM; while :; do sleep 1; done' &
echo "pids $$ $!"
while :; do sleep 1; done`;
  const run = await world.start({ deploy, job: { graceSeconds: 4 } });
  await run.until(/pids \d+ \d+/);
  const pids = /pids (\d+) (\d+)/.exec(run.output())?.slice(1).map(Number) ?? [];
  expect(pids.map(alive)).toEqual([true, true]);
  run.child.kill('SIGTERM');
  expect(await run.ended).toEqual({ code: 81, signal: null });
  // A process that is killed is gone a moment later.
  await expect.poll(() => pids.map(alive)).toEqual([false, false]);
  expect((await world.status()).phase).toBe('Interrupted');
});

test("at its own deadline the run stops its children and says what they were doing, before the Job's deadline", async () => {
  const world = await makeWorld();
  // Ends itself 40 - 40/4 s after the Job's start.
  const job = { activeDeadlineSeconds: 40, startedAgo: 18 };
  const run = await world.start({ deploy: `${BUSY}\nsleep 600`, job });
  expect(await run.ended, run.output()).toEqual({ code: 80, signal: null });

  const status = await world.status();
  expect(status).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
  expect(status.message).toContain('at step deploy, component 2 of 4, gpu-operator');
  expect(status.logTail).toContain('waiting for pods');
  const jobs = `/apis/batch/v1/namespaces/${world.namespace}/jobs/${run.job}`;
  const { startTime } = (await world.admin.call('GET', jobs))['status'] as { startTime: string };
  expect(Date.parse(status.finishedAt)).toBeLessThan(Date.parse(startTime) + 40_000);
  expect(Date.parse(status.deadlineAt)).toBe(Date.parse(startTime) + 30_000);
  expect(run.termination()).toMatch(/^DeadlineExceeded: /);
  expect(run.termination()).toContain('waiting for pods');
});

test('after an uninstall, when the API refuses at once, the run still ends and says why', async () => {
  const world = await makeWorld();
  const run = await world.start({ deploy: `${BUSY}\nsleep 600` });
  await run.until(/waiting for pods/);
  await world.revoke();
  run.child.kill('SIGTERM');
  expect(await run.ended).toEqual({ code: 81, signal: null });
  expect(run.output()).toMatch(/WARN: the status document could not be written: .*forbidden/);
  expect(run.termination()).toMatch(/^Interrupted: /);
});

test('SIGTERM while the API server is waited for ends the run', async () => {
  const world = await makeWorld();
  const run = await world.start({ env: { KUBERNETES_SERVICE_PORT: '1' } });
  await run.until(/trying again for/);
  run.child.kill('SIGTERM');
  expect(await run.ended).toEqual({ code: 81, signal: null });
  expect(run.termination()).toMatch(/^Interrupted: interrupted before the first step/);
});

test('a background process that a step leaves behind neither holds up the run nor outlives the step', async () => {
  const world = await makeWorld();
  const deploy = `sleep 600 & echo "left $!"\necho '✓ All components installed successfully'`;
  const run = await world.start({ deploy });
  expect(await run.ended, run.output()).toMatchObject({ code: 0 });
  const pid = Number(/left (\d+)/.exec(run.output())?.[1]);
  expect(alive(pid)).toBe(false);
});

test('as process 1 it reacts to SIGTERM, and the zombies it is given do not hold it up', async () => {
  const world = await makeWorld();
  // The sleep's parent is gone at once, so the runner becomes its parent, which does not reap it.
  const deploy = `(sleep 0.1 &)
until ps -o pid,ppid,stat,comm | grep ' 1 Z.*sleep'; do sleep 0.1; done
${BUSY}
sleep 600`;
  const run = await world.start({ deploy, asInit: true, job: { graceSeconds: 600 } });
  await run.until(/waiting for pods/);
  expect(run.output()).toMatch(/\d+ +1 Z\S* +sleep/);
  process.kill(initOf(run), 'SIGTERM');
  expect(await run.ended, run.output()).toEqual({ code: 81, signal: null });
  expect((await world.status()).phase).toBe('Interrupted');
});

test("a Secret that never lands is the reason when the run's deadline comes", async () => {
  const world = await makeWorld();
  const pack = {
    ref: 'registry.example/pack:1',
    plainHTTP: false,
    insecureTLS: false,
    secret: 'pull',
    authDigest: '',
  };
  const job = { activeDeadlineSeconds: 40, startedAgo: 18 };
  const run = await world.start({ job, spec: (spec) => ({ ...spec, pack }) });
  await run.until(/waiting for Secret pull/);
  await expect.poll(async () => (await world.status()).phase).toBe('WaitingForSecret');
  expect(await run.ended, run.output()).toMatchObject({ code: 13 });
  expect(await world.status()).toMatchObject({ phase: 'Failed', reason: 'SecretMissing' });
  expect((await world.events(run.job)).map(({ reason }) => reason)).toContain('WaitingForSecret');
});
