import { expect, test } from 'vitest';
import type { Clock, RunEvent } from '../../src/runner/ports/index.ts';
import { createRecorder, position, shownStatus } from '../../src/runner/status/index.ts';
import { BEGAN, begun, component } from './begun.ts';

/** A recorder whose clock goes on a second with each look. */
const record = () => {
  const said: string[] = [];
  const events: RunEvent[] = [];
  const writes: boolean[] = [];
  let time = BEGAN.getTime();
  const clock = {
    now: () => {
      time += 1000;
      return new Date(time);
    },
  } as Clock;
  const say = (level: string) => (message: string) => void said.push(`${level}: ${message}`);
  const recorder = createRecorder({
    status: begun(),
    clock,
    log: { info: say('info'), warn: say('warn'), error: say('error'), child: say('child') },
    announce: (event) => events.push(event),
    changed: (urgent) => writes.push(urgent),
  });
  const plan = [
    { name: 'download', does: 'download aicr' },
    { name: 'deploy', does: 'run deploy.sh' },
  ] as unknown as Parameters<typeof recorder.planned>[0];
  return { recorder, said, events, writes, plan };
};
test('the document of a run that has just begun', () => {
  expect(begun()).toEqual({
    version: 1,
    phase: 'Pending',
    reason: '',
    message: 'the run begins',
    hint: '',
    release: { name: 'aicr', namespace: 'ns' },
    run: { id: '', attempt: 1 },
    job: { name: 'aicr-install-1', uid: '' },
    pod: { name: 'pod', uid: 'u', node: 'node' },
    chartVersion: '0.3.0',
    startedAt: '2026-11-30T10:00:00.000Z',
    updatedAt: '2026-11-30T10:00:00.000Z',
    finishedAt: '',
    deadlineAt: '',
    aicr: { version: 'v1.2.0', arch: 'auto', sha256: '', url: '' },
    criteria: { service: 'acme', accelerator: 'h200', intent: 'training' },
    pack: { ref: '', digest: '' },
    bundle: { digest: '' },
    recipe: { overlays: [], componentCount: 0, digest: '' },
    upgradeCheck: { outcome: '', message: '', components: [] },
    validation: { outcome: '', exitCode: null, tests: 0, passed: 0, failed: 0, skipped: 0, other: 0 },
    evidence: { sha256: '', oci: '', digest: '' },
    warnings: ['thin criteria'],
    steps: [],
    components: [],
    results: [],
    logTail: [],
    rerun: '',
  });
});

test('what a run says while it goes: document, log, Events, and what is worth a write at once', async () => {
  const { recorder, said, events, writes, plan } = record();
  recorder.observed({ jobUid: 'j', attempt: 2, deadlineAt: 'later' });
  expect(recorder.status()).toMatchObject({
    job: { name: 'aicr-install-1', uid: 'j' },
    run: { id: '', attempt: 2 },
    deadlineAt: 'later',
  });
  recorder.waitingForLock('waits for b');
  recorder.waitingForLock('waits for b');
  recorder.waitingForLock('waits for c');
  expect(recorder.status()).toMatchObject({ phase: 'WaitingForLock', message: 'waits for c' });
  recorder.lockTaken('has the lock');
  expect(recorder.status()).toMatchObject({ phase: 'Running', message: 'has the lock' });
  await recorder.waitingForSecret('waits for a');
  await recorder.waitingForSecret('waits for a');
  await recorder.waitingForSecret('waits for d');
  expect(recorder.status()).toMatchObject({ phase: 'WaitingForSecret', message: 'waits for d' });
  await recorder.secretLanded('d is here');
  expect(recorder.status()).toMatchObject({ phase: 'Running', message: 'd is here' });
  recorder.planned(plan);
  const pending = { state: 'Pending', attempts: 0, startedAt: '', finishedAt: '', message: '' };
  expect(recorder.status().steps).toEqual([
    { name: 'download', does: 'download aicr', ...pending },
    { name: 'deploy', does: 'run deploy.sh', ...pending },
  ]);
  recorder.stepStarted('download');
  expect(recorder.status()).toMatchObject({ phase: 'Running', message: 'download aicr' });
  recorder.retrying('HTTP 503');
  expect(recorder.status()).toMatchObject({
    message: 'trying again: HTTP 503',
    steps: [{ state: 'Running', attempts: 2 }, pending],
  });
  recorder.stepEnded('download', 'Succeeded', 'here');
  recorder.note({ bundle: { digest: 'sha256:1' } });
  recorder.component(component(1, 'Installing'));
  expect(recorder.status().message).toBe('component 1 of 3, c1: Installing');
  recorder.stepEnded('deploy', 'Failed', 'no');
  expect(recorder.status().components).toEqual([component(1, 'Installing')]);
  recorder.component(component(1, 'Installed'));
  recorder.stepEnded('deploy', 'Interrupted', 'stopped');
  expect(recorder.status().components).toEqual([component(1, 'Installed')]);
  recorder.result({ configMap: 'a', holds: 'x' });
  recorder.result({ configMap: 'b', holds: 'y' });
  expect(recorder.status().results.map(({ configMap }) => configMap)).toEqual(['a', 'b']);
  recorder.warn('careful');
  const tail = ['last'];
  recorder.finished({
    phase: 'Failed',
    reason: 'Internal',
    message: 'm',
    hint: 'h',
    logTail: tail,
    rerun: 'r',
  });
  expect(recorder.status()).toMatchObject({
    phase: 'Failed',
    reason: 'Internal',
    message: 'm',
    hint: 'h',
    logTail: ['last'],
    rerun: 'r',
    bundle: { digest: 'sha256:1' },
    warnings: ['thin criteria', 'careful'],
    updatedAt: recorder.status().updatedAt,
  });
  expect(Date.parse(recorder.status().updatedAt)).toBe(Date.parse(recorder.status().finishedAt) + 1000);
  expect(said).toEqual([
    'info: waits for b',
    'info: waits for c',
    'info: has the lock',
    'info: waits for a',
    'info: waits for d',
    'info: d is here',
    'warn: careful',
  ]);
  expect(events).toEqual([
    { type: 'Normal', reason: 'WaitingForLock', message: 'waits for b' },
    { type: 'Normal', reason: 'WaitingForLock', message: 'waits for c' },
    { type: 'Normal', reason: 'LockTaken', message: 'has the lock' },
    { type: 'Normal', reason: 'WaitingForSecret', message: 'waits for a' },
    { type: 'Normal', reason: 'WaitingForSecret', message: 'waits for d' },
    { type: 'Normal', reason: 'SecretLanded', message: 'd is here' },
    { type: 'Warning', reason: 'Warning', message: 'careful' },
  ]);
  const [no, yes] = [false, true];
  expect(writes).toEqual([
    ...[no, yes, yes, yes, yes, yes, yes, no, yes, no, yes, no, yes, yes, no, yes, no, no, no, yes],
  ]);
});

test('the position is that of the last component under way, and of the last step that ended', () => {
  const step = (name: 'download' | 'deploy', state: 'Running' | 'Succeeded', finishedAt = '') => ({
    name,
    does: name,
    state,
    attempts: 1,
    startedAt: '',
    finishedAt,
    message: '',
  });
  const components = [component(1, 'Installing'), component(2, 'Installing'), component(3, 'Failed')];
  const running = { ...begun(), components, steps: [step('deploy', 'Running')] };
  expect(position(running)).toBe('at step deploy, component 2 of 3, c2');
  const ended = [step('download', 'Succeeded', 'x'), step('deploy', 'Succeeded', 'x')];
  expect(position({ ...begun(), steps: ended })).toBe('after step deploy');
});

test('of too many and too long texts each has its own bound', () => {
  const warnings = Array.from({ length: 50 }, (_, index) => `${index} ${'w'.repeat(2000)}`);
  const shown = shownStatus(
    { ...begun(), message: 'm'.repeat(5000), warnings, logTail: ['l'.repeat(600)] },
    (text) => text,
  );
  expect(shown.warnings).toHaveLength(50);
  expect(shown.warnings.map((text) => Buffer.byteLength(text))).toEqual(warnings.map(() => 1024));
  expect(Buffer.byteLength(shown.logTail[0] ?? '')).toBe(512);
  expect(Buffer.byteLength(shown.message)).toBe(4096);
  expect(shown.validation.exitCode).toBeNull();
});
