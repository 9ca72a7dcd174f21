import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeWorld, TWO_COMPONENTS, useProgram } from './run.ts';

useProgram();

const ONE_FAILS = `
echo '┌─ [1/2] cert-manager  →  cert-manager'
echo 'Error: INSTALLATION FAILED: timed out' >&2
echo '└─ ✗ cert-manager FAILED (after 1 attempts)'
echo '⚠ cert-manager install failed, continuing (--best-effort)'
echo '┌─ [2/2] gpu-operator  →  gpu-operator'
echo '└─ ✓ gpu-operator installed'
`;

test('an install that works says so in status, summary, termination message and Events', async () => {
  const world = await makeWorld();
  const run = await world.start();
  expect(await run.ended, run.output()).toEqual({ code: 0, signal: null });

  const status = await world.status();
  expect(status).toMatchObject({
    phase: 'Succeeded',
    reason: '',
    rerun: '',
    run: { id: '', attempt: 1 },
    job: { name: run.job },
    pod: { name: `${run.job}-pod`, node: 'node-1' },
    criteria: { service: 'acme', accelerator: 'h200', intent: 'training', os: 'ubuntu' },
    recipe: { overlays: ['base', 'acme-h200'], componentCount: 2 },
    results: [{ configMap: 'aicr-recipe' }],
  });
  expect(status.steps.map(({ name, state, attempts }) => `${name} ${state} ${attempts}`)).toEqual(
    ['download', 'recipe', 'bundle', 'verify', 'releases', 'upgradeCheck', 'deploy'].map(
      (name) => `${name} Succeeded 1`,
    ),
  );
  expect(status.components.map(({ name, state }) => [name, state])).toEqual([
    ['cert-manager', 'Installed'],
    ['gpu-operator', 'Installed'],
  ]);
  expect(await world.status(run.job)).toEqual(status);

  const { data, object } = (await world.configMap('aicr-status')) ?? {};
  expect(data?.['summary.txt']).toContain('Components: 2 of 2 installed');
  expect(data?.['summary.txt']?.split('\n').length).toBeLessThanOrEqual(20);
  expect(object?.metadata.labels).toEqual({
    'nvidia-aicr/written-by': 'run',
    'nvidia-aicr/release': 'aicr',
  });
  expect(object?.metadata.managedFields?.map(({ manager }) => manager).sort()).toEqual([
    'nvidia-aicr',
    `nvidia-aicr.${run.job}`,
  ]);
  expect(run.termination()).toBe('Succeeded: all 2 components are installed (aicr v1.2.0, recipe acme-h200)');
  const events = await world.events(run.job);
  expect(events.map(({ type, reason }) => [type, reason]).sort()).toEqual([
    ['Normal', 'Started'],
    ['Normal', 'Succeeded'],
  ]);
});

test('components that fail under --best-effort are named in status and termination message', async () => {
  const world = await makeWorld();
  const deploy = `${ONE_FAILS}\necho '✗ Deployment completed with failures (--best-effort): cert-manager'`;
  const run = await world.start({
    deploy,
    spec: (spec) => ({ ...spec, deploy: { ...spec.deploy, flags: '--best-effort' } }),
  });
  expect(await run.ended, run.output()).toMatchObject({ code: 0 });

  const status = await world.status();
  expect(status.phase).toBe('SucceededWithFailures');
  expect(status.message).toContain('cert-manager');
  expect(status.components[0]).toMatchObject({ name: 'cert-manager', state: 'Failed' });
  expect(run.termination()).toMatch(/^SucceededWithFailures: .*cert-manager/);
  expect(await world.events(run.job)).toContainEqual(
    expect.objectContaining({ type: 'Warning', reason: 'SucceededWithFailures' }),
  );
});

test('a deployment that fails ends with its reason, the last lines and the line that runs it again', async () => {
  const world = await makeWorld();
  const spec = (given: object): object => ({ ...given, run: { id: '7', revision: 0 } });
  const run = await world.start({ deploy: `${ONE_FAILS}\nexit 1`, spec });
  expect(await run.ended, run.output()).toMatchObject({ code: 60 });

  const rerun = `helm upgrade aicr <your chart> -n ${world.namespace} --reuse-values --set-string runId=8`;
  const status = await world.status();
  expect(status).toMatchObject({ phase: 'Failed', reason: 'DeployFailed' });
  expect(status.rerun).toContain(rerun);
  expect(status.logTail).toContain('Error: INSTALLATION FAILED: timed out');
  expect(status.steps.at(-1)).toMatchObject({ name: 'deploy', state: 'Failed' });
  expect((await world.configMap('aicr-status'))?.data['summary.txt']).toContain(rerun);
  expect(run.termination()).toMatch(/^DeployFailed: /);
  expect(run.termination()).toContain(rerun);
  expect(run.termination()).toContain('Error: INSTALLATION FAILED: timed out');
  expect(await world.events(run.job)).toContainEqual(
    expect.objectContaining({ type: 'Warning', reason: 'Failed', note: expect.stringContaining(rerun) }),
  );
});

test('without a status ConfigMap none is written, and everything else still works', async () => {
  const world = await makeWorld();
  const run = await world.start({ spec: (spec) => ({ ...spec, status: { configMap: '' } }) });
  expect(await run.ended, run.output()).toMatchObject({ code: 0 });
  expect(await world.configMap('aicr-status')).toBeNull();
  expect(await world.configMap('aicr-recipe')).not.toBeNull();
  expect((await world.events(run.job)).map(({ reason }) => reason)).toContain('Succeeded');
});

test('what looks like a credential is hidden wherever the run shows output', async () => {
  const world = await makeWorld();
  const jwt = `eyJ${'hbGciOiJIUzI1NiJ9'}.eyJ${'zdWIiOiIxMjM0In0'}.c2lnbmF0dXJl`;
  const deploy = `
echo '{"auths":{"r.example":{"auth":"dXNlcjpodW50ZXIy","password":"hunter2"}}}'
echo 'Authorization: Bearer abcdefghijklmnopqrstuvwxyz'
echo 'token ${jwt}'
echo 'fetching https://user:hunter2@r.example/x'
exit 1`;
  const run = await world.start({ deploy });
  expect(await run.ended, run.output()).toMatchObject({ code: 60 });
  const shown = [
    run.output(),
    run.termination(),
    JSON.stringify((await world.configMap('aicr-status'))?.data),
    JSON.stringify(await world.events(run.job)),
  ].join('\n');
  expect(run.output()).toContain('fetching https://***@r.example/x');
  for (const secret of ['hunter2', 'dXNlcjpodW50ZXIy', 'abcdefghijklmnopqrstuvwxyz', jwt.slice(30)]) {
    expect(shown).not.toContain(secret);
  }
});

test('200 MB of output do not make the runner grow', async () => {
  const world = await makeWorld();
  const deploy = `
yes 'a line of output as a component prints it, over and over again' | head -c 200000000
head -c 50000000 /dev/zero | tr '\\0' x
echo
touch "$TMPDIR/flooded"
while [ ! -e "$TMPDIR/measured" ]; do sleep 0.05; done
${TWO_COMPONENTS}`;
  const run = await world.start({ deploy, quiet: true });
  const tmp = join(run.root, 'tmp');
  await run.untilFile(join(tmp, 'flooded'));
  const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${run.child.pid}/status`, 'utf8'))?.[1];
  writeFileSync(join(tmp, 'measured'), '');
  expect(await run.ended).toMatchObject({ code: 0 });
  expect(Number(peak)).toBeLessThan(150_000);
});

test('a log that is read slowly holds the child up, does not grow the runner, and is whole to its last line', async () => {
  const world = await makeWorld();
  const deploy = `
yes 'a line of output as a component prints it, over and over again' | head -c 60000000
echo
touch "$TMPDIR/flooded"
while [ ! -e "$TMPDIR/measured" ]; do sleep 0.05; done
${TWO_COMPONENTS}`;
  const run = await world.start({ deploy });
  const { stdout } = run.child;
  const tmp = join(run.root, 'tmp');
  // Reads for a moment, then not for another.
  const halting = setInterval(() => {
    stdout?.pause();
    setTimeout(() => stdout?.resume(), 40);
  }, 50);
  try {
    await run.untilFile(join(tmp, 'flooded'));
    const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${run.child.pid}/status`, 'utf8'))?.[1];
    expect(Number(peak)).toBeLessThan(150_000);
    writeFileSync(join(tmp, 'measured'), '');
    expect(await run.ended).toMatchObject({ code: 0 });
  } finally {
    clearInterval(halting);
  }
  const [lines, last] = [run.output().split('over and over again\n').length - 1, run.output().slice(-1000)];
  expect(lines).toBe(Math.floor(60_000_000 / 63));
  expect(last).toContain('Succeeded: all 2 components are installed');
});
