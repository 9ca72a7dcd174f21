import { expect, test } from 'vitest';
import type { RunStatus } from '../../src/contract/index.ts';
import type { Cluster, JobFacts, RunEvent } from '../../src/runner/ports/index.ts';
import { createClock } from '../../src/runner/ports/index.ts';
import {
  createRecorder,
  isNewestRun,
  newStatus,
  position,
  shownStatus,
  summaryText,
} from '../../src/runner/status/index.ts';
import { component } from './begun.ts';
import { runSpec } from './spec.ts';

const IDENTITY = { release: 'aicr', namespace: 'ns', job: 'aicr-install-1', pod: 'pod', podUid: 'u' };
const SPEC = { ...runSpec, warnings: ['thin criteria'] };

const record = () => {
  const log: string[] = [];
  const events: RunEvent[] = [];
  let urgent = 0;
  const say = (message: string): void => void log.push(message);
  const recorder = createRecorder({
    status: newStatus(SPEC, IDENTITY, 'node', new Date('2026-11-30T10:00:00Z')),
    clock: createClock(),
    log: { info: say, warn: say, error: say, child: say },
    announce: (event) => events.push(event),
    changed: (isUrgent) => {
      urgent += isUrgent ? 1 : 0;
    },
  });
  const plan = [
    { name: 'download', does: 'download aicr' },
    { name: 'deploy', does: 'run deploy.sh' },
  ] as unknown as Parameters<typeof recorder.planned>[0];
  return { recorder, log, events, plan, urgent: () => urgent };
};

test('a run that has just begun states what it was asked for, and repeats the chart’s warnings', () => {
  expect(record().recorder.status()).toMatchObject({
    phase: 'Pending',
    criteria: { service: 'acme', accelerator: 'h200', intent: 'training' },
    warnings: ['thin criteria'],
    startedAt: '2026-11-30T10:00:00.000Z',
  });
});

test('steps go from pending over running to their end, and beginning and end are worth a write at once', () => {
  const { recorder, plan, urgent } = record();
  recorder.planned(plan);
  expect(recorder.status().steps.map(({ state }) => state)).toEqual(['Pending', 'Pending']);
  recorder.stepStarted('download');
  recorder.retrying('HTTP 503');
  expect(recorder.status().steps[0]).toMatchObject({
    state: 'Running',
    attempts: 2,
    message: 'trying again: HTTP 503',
  });
  recorder.stepEnded('download', 'Succeeded', 'aicr is here');
  expect(recorder.status().steps[0]).toMatchObject({ state: 'Succeeded', message: 'aicr is here' });
  expect(urgent()).toBe(2);
});

test('where a run is, is told by step and component', () => {
  const { recorder, plan } = record();
  expect(position(recorder.status())).toBe('before the first step');
  recorder.planned(plan);
  recorder.stepStarted('download');
  expect(position(recorder.status())).toBe('at step download');
  recorder.stepEnded('download', 'Succeeded', '');
  expect(position(recorder.status())).toBe('after step download');
  recorder.stepStarted('deploy');
  recorder.component(component(1, 'Installed'));
  recorder.component(component(2, 'Installing'));
  expect(position(recorder.status())).toBe('at step deploy, component 2 of 3, c2');
  recorder.stepEnded('deploy', 'Interrupted', 'stopped');
  expect(recorder.status().components.map(({ state }) => state)).toEqual(['Installed', 'Interrupted']);
});

test('a component replaces what was known of it, and keeps its place', () => {
  const { recorder } = record();
  recorder.component(component(2, 'Installing'));
  recorder.component(component(1, 'Installed'));
  recorder.component({ ...component(2, 'Failed'), attempts: 3 });
  expect(recorder.status().components).toMatchObject([
    { index: 1 },
    { index: 2, state: 'Failed', attempts: 3 },
  ]);
});

test('warnings and results are listed once; a loop of warnings does not flood the Events', () => {
  const { recorder, events, log } = record();
  for (let count = 0; count < 60; count += 1) {
    recorder.warn(`warning ${count}`);
    recorder.warn(`warning ${count}`);
  }
  recorder.result({ configMap: 'aicr-recipe', holds: 'the recipe' });
  recorder.result({ configMap: 'aicr-recipe', holds: 'the recipe (with aicr-recipe-1)' });
  expect(log).toHaveLength(60);
  expect(events).toHaveLength(10);
  expect(recorder.status().results).toEqual([
    { configMap: 'aicr-recipe', holds: 'the recipe (with aicr-recipe-1)' },
  ]);
  const shown = shownStatus(recorder.status(), (text) => text);
  expect(shown.warnings).toHaveLength(51);
  expect(shown.warnings.at(-1)).toBe('11 more warnings are in the log');
});

test('waiting for a Secret is a phase, said once in log and Events', async () => {
  const { recorder, events } = record();
  await recorder.waitingForSecret('waiting for Secret pull');
  await recorder.waitingForSecret('waiting for Secret pull');
  expect(recorder.status()).toMatchObject({
    phase: 'WaitingForSecret',
    message: 'waiting for Secret pull',
  });
  await recorder.secretLanded('Secret pull is here');
  expect(recorder.status().phase).toBe('Running');
  expect(events.map(({ reason }) => reason)).toEqual(['WaitingForSecret', 'SecretLanded']);
});

test('what is shown is masked and bounded everywhere', () => {
  const { recorder, plan } = record();
  recorder.planned(plan);
  recorder.stepStarted('download');
  recorder.stepEnded('download', 'Failed', `hunter2 ${'x'.repeat(10_000)}`);
  recorder.warn('hunter2');
  recorder.finished({
    phase: 'Failed',
    reason: 'Internal',
    message: 'hunter2',
    hint: 'hunter2',
    // The second lies across the cut.
    logTail: [`hunter2 ${'y'.repeat(60_000)}`, `${'z'.repeat(505)}hunter2${'z'.repeat(505)}`],
    rerun: '',
  });
  const shown = shownStatus(recorder.status(), (text) => text.replaceAll('hunter2', '***'));
  expect(JSON.stringify(shown)).not.toContain('hunt');
  expect(JSON.stringify(shown).length).toBeLessThan(10_000);
});

test('the summary of a failed run tells a person what to do', () => {
  const { recorder, plan } = record();
  recorder.planned(plan);
  recorder.stepStarted('deploy');
  recorder.component(component(1, 'Installed'));
  recorder.component(component(2, 'Failed'));
  recorder.stepEnded('deploy', 'Failed', 'deploy.sh failed');
  recorder.finished({
    phase: 'Failed',
    reason: 'DeployFailed',
    message: 'component c2 failed',
    hint: 'See the log.',
    logTail: ['Error: timed out', 'c2 gave up'],
    rerun: 'helm upgrade …',
  });
  const text = summaryText(recorder.status(), 'installer');
  expect(text.split('\n')[0]).toBe('Release aicr in namespace ns, run aicr-install-1: Failed');
  for (const line of [
    'Reason:     DeployFailed',
    'Message:    component c2 failed',
    'What to do: See the log.',
    'Run again:  helm upgrade …',
    'Components: 1 of 3 installed; failed: c2',
    '  thin criteria',
    'Log:        kubectl logs job/aicr-install-1 -n ns -c installer',
  ]) {
    expect(text.split('\n')).toContain(line);
  }
  expect(text).toContain('Last lines:\n  Error: timed out\n  c2 gave up\nLog: ');
  expect(text.split('\n').length).toBeLessThanOrEqual(23);
});

test('the summary says what validation came to, and where the evidence is', () => {
  const { recorder, plan } = record();
  const shown = (change: Partial<RunStatus>): readonly string[] =>
    summaryText({ ...recorder.status(), ...change }, 'installer').split('\n');
  const validate = { name: 'validate', does: 'validate the cluster' } as unknown as (typeof plan)[number];
  recorder.planned([...plan, validate]);
  expect(shown({}).filter((line) => /^(Validation|Evidence):/.test(line))).toEqual([]);

  const validation = { ...recorder.status().validation, outcome: 'Failed' as const, failed: 1 };
  const kept = { sha256: `sha256:${'0'.repeat(64)}`, oci: '', digest: '' };
  expect(shown({ validation })).toContain('Validation: Failed');
  recorder.stepEnded('validate', 'Succeeded', 'Failed: 14 checks: 1 failed (operator-health)\nmore');
  expect(shown({ validation, evidence: kept })).toEqual(
    expect.arrayContaining([
      'Validation: Failed: 14 checks: 1 failed (operator-health)',
      `Evidence:   ${kept.sha256}, not published`,
    ]),
  );
  expect(shown({ evidence: { ...kept, oci: 'r.example/proof:acme', digest: 'sha256:12' } })).toContain(
    'Evidence:   r.example/proof:acme@sha256:12',
  );
});

const JOB = { uid: 'u', labels: {} } as unknown as JobFacts;

test.each([
  ['alone', [], true],
  [
    'with an older one',
    [
      ['aicr-install-0', '2026-01-01T00:00:00Z'],
      ['aicr-install-1', '2026-01-02T00:00:00Z'],
    ],
    true,
  ],
  [
    'with a newer one',
    [
      ['aicr-install-0', '2026-01-03T00:00:00Z'],
      ['aicr-install-1', '2026-01-02T00:00:00Z'],
    ],
    false,
  ],
  [
    'with one of the same second and a greater name',
    [
      ['aicr-install-1', '2026-01-02T00:00:00Z'],
      ['aicr-install-2', '2026-01-02T00:00:00Z'],
    ],
    false,
  ],
  ['deleted already, with another there', [['aicr-install-0', '2026-01-01T00:00:00Z']], false],
] as const)('a Job %s is the newest: %s', async (_, jobs, newest) => {
  const cluster = {
    releaseJobs: async () => jobs.map(([name, createdAt]) => ({ name, createdAt, deleting: false })),
  } as unknown as Cluster;
  const { signal } = new AbortController();
  expect(await isNewestRun(cluster, 'aicr-install-1', JOB, signal)).toBe(newest);
});
