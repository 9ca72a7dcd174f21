import type { RunStatus } from '../../src/contract/index.ts';

/** A run's document. */
export const documentOf = (
  job: { name: string; uid: string },
  change: Partial<RunStatus> = {},
): RunStatus => ({
  version: 1,
  phase: 'Running',
  reason: '',
  message: 'component 2 of 3, gpu-operator: Installing',
  hint: '',
  release: { name: 'gpu', namespace: 'ns' },
  run: { id: '7', attempt: 2 },
  job,
  pod: { name: `${job.name}-pod`, uid: 'pod-uid', node: 'node-1' },
  chartVersion: '0.3.0',
  startedAt: '2026-11-30T10:00:00.000Z',
  updatedAt: '2026-11-30T10:01:05.000Z',
  finishedAt: '',
  deadlineAt: '2026-11-30T12:59:00.000Z',
  aicr: { version: 'v1.2.0', arch: 'amd64', sha256: 'ab'.repeat(32), url: 'https://r.example' },
  criteria: { accelerator: 'h200' },
  pack: { ref: 'r.example/pack:1', digest: 'sha256:01' },
  bundle: { digest: 'sha256:02' },
  recipe: { overlays: ['base', 'acme'], componentCount: 3, digest: 'sha256:03' },
  upgradeCheck: {
    outcome: 'NeedsAttention',
    message: '1 component changes, and 1 of them needs attention: nfd 1 -> 2 is manual',
    components: [
      {
        ...{ component: 'nfd', change: 'version', from: '1', to: '2', verdict: 'manual', reason: 'recorded' },
        ...{ explanation: '', precondition: 'No node is tuned.', steps: ['Grant the rights.'] },
      },
    ],
  },
  validation: { outcome: '', exitCode: null, tests: 0, passed: 0, failed: 0, skipped: 0, other: 0 },
  evidence: { sha256: '', oci: '', digest: '' },
  warnings: ['thin criteria'],
  steps: [
    {
      ...{ name: 'download', state: 'Succeeded', does: 'download aicr', attempts: 3, message: 'it is here' },
      ...{ startedAt: '2026-11-30T10:00:01.000Z', finishedAt: '2026-11-30T10:00:04.000Z' },
    },
    {
      ...{ name: 'deploy', state: 'Running', does: "run the bundle's deploy.sh", attempts: 1, message: '' },
      ...{ startedAt: '2026-11-30T10:00:10.000Z', finishedAt: '' },
    },
    {
      ...{ name: 'validate', state: 'Pending', does: 'validate the cluster', attempts: 0, message: '' },
      ...{ startedAt: '', finishedAt: '' },
    },
  ],
  components: [
    { index: 1, of: 3, name: 'cert-manager', namespace: 'cert-manager', state: 'Installed', attempts: 1 },
    { index: 2, of: 3, name: 'gpu-operator', namespace: 'gpu', state: 'Installing', attempts: 2 },
  ],
  results: [
    { configMap: 'aicr-recipe', holds: 'the resolved recipe and its summary' },
    {
      configMap: 'aicr-evidence-bundle',
      holds: 'the evidence bundle, gzipped, and its pointer once published',
    },
    { configMap: 'big', holds: 'the verdict of the validation (with big-1 to big-3)' },
  ],
  logTail: [],
  rerun: '',
  ...change,
});
