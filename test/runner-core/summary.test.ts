import { expect, test } from 'vitest';
import { summaryText } from '../../src/runner/status/index.ts';
import { begun, component, done } from './begun.ts';

test('the summary of a run that has everything', () => {
  const step = { attempts: 1, startedAt: '2026-11-30T10:00:00Z', does: 'does it' };
  const status = done({
    phase: 'SucceededWithFailures',
    hint: ' look\nthere ',
    rerun: 'again',
    run: { id: '', attempt: 3 },
    aicr: { version: 'v1.2.0', arch: 'arm64', sha256: 'ab', url: '' },
    pack: { ref: 'r/p:1', digest: 'sha256:2' },
    recipe: { overlays: ['a', 'b'], componentCount: 7, digest: 'sha256:3' },
    steps: [
      {
        ...step,
        name: 'download',
        state: 'Succeeded',
        finishedAt: '2026-11-30T10:00:05Z',
        message: 'here\nmore',
      },
      { ...step, name: 'deploy', state: 'Running', finishedAt: '', message: '', attempts: 2 },
    ],
    components: [component(1, 'Installed'), component(2, 'Failed'), component(3, 'Interrupted')],
    results: [{ configMap: 'aicr-recipe', holds: 'the recipe' }],
    warnings: ['one\ntwo'],
    logTail: ['the end'],
  });
  expect(
    summaryText(status, 'installer'),
  ).toBe(`Release aicr in namespace ns, run aicr-install-1: SucceededWithFailures
Message:    all is well
            and more
What to do: look
            there
Run again:  again
Time:       started 2026-11-30 10:00:00 UTC, took 3 min 4 s, attempt 3
aicr:       v1.2.0 linux/arm64, sha256 ab
Criteria:   service=acme accelerator=h200 intent=training
Data pack:  r/p:1 (sha256:2)
Recipe:     7 components from a, b
Steps:
  download     Succeeded   5 s       here
  deploy       Running               does it (try 2)
Components: 1 of 3 installed; failed: c2; interrupted: c3
Results:
  the recipe: kubectl describe configmap aicr-recipe -n ns
Warnings:
  one
            two
Last lines:
  the end
Log:        kubectl logs job/aicr-install-1 -n ns -c installer
`);
});

test('the summary of a run that has nothing', () => {
  const status = { ...begun(), criteria: {}, warnings: [] };
  expect(summaryText(status, 'installer')).toBe(`Release aicr in namespace ns, run aicr-install-1: Pending
Message:    the run begins
Time:       started 2026-11-30 10:00:00 UTC, as of 2026-11-30 10:00:00 UTC
aicr:       v1.2.0
Criteria:   none
Steps:
Log:        kubectl logs job/aicr-install-1 -n ns -c installer
`);
  const more = {
    ...status,
    deadlineAt: '2026-11-30T13:00:00Z',
    pack: { ref: 'r/p:1', digest: '' },
    recipe: { overlays: [], componentCount: 1, digest: 'sha256:3' },
  };
  const lines = summaryText(more, 'installer').split('\n');
  expect(lines.slice(2, 7)).toEqual([
    'Time:       started 2026-11-30 10:00:00 UTC, as of 2026-11-30 10:00:00 UTC, stops itself at 2026-11-30 13:00:00 UTC',
    'aicr:       v1.2.0',
    'Criteria:   none',
    'Data pack:  r/p:1',
    'Recipe:     1 components from no overlay',
  ]);
});

test.each([
  ['2026-11-30T10:00:00Z', '0 s'],
  ['2026-11-30T09:59:00Z', '0 s'],
  ['2026-11-30T10:00:59.4Z', '59 s'],
  ['2026-11-30T10:01:00Z', '1 min 0 s'],
  ['2026-11-30T10:59:59Z', '59 min 59 s'],
  ['2026-11-30T12:02:03Z', '2 h 2 min'],
])('a run that ended at %s took %s', (finishedAt, took) => {
  expect(summaryText(done({ finishedAt }), 'installer')).toContain(`UTC, took ${took}\n`);
});
