import type { RunSpec, RunStatus, StepStatus } from '../../contract/index.ts';
import type { PlannedStep } from '../planned.ts';
import { cutBytes, type RunIdentity } from '../ports/index.ts';

/** Longest text in the document, in bytes: the five documents of a ConfigMap together stay far below its 1 MiB. */
const LONGEST_TEXT = 4096;

/** Longest line of the log tail, and longest warning, in bytes. */
const LONGEST_LINE = 512;
const LONGEST_WARNING = 1024;

/** Most warnings that are kept; a component that warns in a loop must not fill the ConfigMap. */
const MOST_WARNINGS = 50;

/**
 * The status document of a run that has begun and knows nothing yet.
 * @param startedAt of this pod's runner
 * @param node the pod's node, empty when not known
 */
export function newStatus(spec: RunSpec, identity: RunIdentity, node: string, startedAt: Date): RunStatus {
  const { service, accelerator, intent, os, platform } = spec.criteria;
  const criteria = Object.entries({ service, accelerator, intent, os, platform });
  return {
    version: 1,
    phase: 'Pending',
    reason: '',
    message: 'the run begins',
    hint: '',
    release: { name: spec.release.name, namespace: spec.release.namespace },
    run: { id: spec.run.id, attempt: 1 },
    job: { name: identity.job, uid: '' },
    pod: { name: identity.pod, uid: identity.podUid, node },
    chartVersion: spec.chart.version,
    startedAt: startedAt.toISOString(),
    updatedAt: startedAt.toISOString(),
    finishedAt: '',
    deadlineAt: '',
    aicr: { version: spec.aicr.version, arch: spec.aicr.arch, sha256: '', url: '' },
    criteria: Object.fromEntries(criteria.filter(([, value]) => value !== '')),
    pack: { ref: spec.pack.ref, digest: '' },
    bundle: { digest: '' },
    recipe: { overlays: [], componentCount: 0, digest: '' },
    upgradeCheck: { outcome: '', message: '', components: [] },
    validation: { outcome: '', exitCode: null, tests: 0, passed: 0, failed: 0, skipped: 0, other: 0 },
    evidence: { sha256: '', oci: '', digest: '' },
    warnings: [...spec.warnings],
    steps: [],
    components: [],
    results: [],
    logTail: [],
    rerun: '',
  };
}

/** A step that has not begun. */
export const pendingStep = (step: PlannedStep): StepStatus => ({
  name: step.name,
  state: 'Pending',
  does: step.does,
  attempts: 0,
  startedAt: '',
  finishedAt: '',
  message: '',
});

/**
 * The document as it may be shown: secrets masked, every text and list bounded.
 * @param mask hides secrets
 */
export function shownStatus(status: RunStatus, mask: (text: string) => string): RunStatus {
  // Masked before it is cut: half a secret would not be known as one.
  const masked = mapTexts(status, mask) as RunStatus;
  const more = masked.warnings.length - MOST_WARNINGS;
  const bounded: RunStatus = {
    ...masked,
    warnings: [
      ...masked.warnings.slice(0, MOST_WARNINGS).map((warning) => cutBytes(warning, LONGEST_WARNING)),
      ...(more > 0 ? [`${more} more warnings are in the log`] : []),
    ],
    logTail: masked.logTail.map((line) => cutBytes(line, LONGEST_LINE)),
  };
  return mapTexts(bounded, (text) => cutBytes(text, LONGEST_TEXT)) as RunStatus;
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') {
    return change(value);
  }
  if (Array.isArray(value)) {
    return value.map((each) => mapTexts(each, change));
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapTexts(each, change)]));
  }
  return value;
}

/**
 * Where a run is: `step deploy, component 4 of 12, gpu-operator`; `before the first step` when none has begun.
 */
export function position(status: RunStatus): string {
  const step = status.steps.find(({ state }) => state === 'Running');
  if (step === undefined) {
    const done = status.steps.filter(({ finishedAt }) => finishedAt !== '').at(-1);
    return done === undefined ? 'before the first step' : `after step ${done.name}`;
  }
  const component = status.components.filter(({ state }) => state === 'Installing').at(-1);
  return component === undefined
    ? `at step ${step.name}`
    : `at step ${step.name}, component ${component.index} of ${component.of}, ${component.name}`;
}
