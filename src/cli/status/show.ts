import {
  isFinal,
  NOTES_KEY,
  POD,
  type ResultRef,
  type RunStatus,
  type StepStatus,
} from '../../contract/index.ts';
import { dateAndTime, duration, timeOfDay } from './time.ts';

/**
 * A run's status for people.
 * @param before document of the run before it, where this one has written none
 * @param hasPod whether a pod of it is there, which has the log
 * @returns lines
 */
export function show(status: RunStatus, before: RunStatus | null, hasPod: boolean): readonly string[] {
  const { release, reason } = status;
  const sections: readonly (readonly string[])[] = [
    [
      `Release ${release.name} in namespace ${release.namespace}: ${status.phase}${reason === '' ? '' : ` (${reason})`}`,
      ...(status.phase === 'SucceededWithFailures'
        ? [`WARNING: not everything succeeded: ${status.message}`]
        : []),
      ...text('Message', status.phase === 'SucceededWithFailures' ? '' : status.message),
      ...text('What to do', status.hint),
      ...text('Run again', status.rerun),
    ],
    identity(status),
    titled('Steps', status.steps.map(stepLine)),
    titled(componentTitle(status), status.components.map(componentLine)),
    upgradeLines(status),
    proofLines(status),
    titled(
      'Results',
      status.results.flatMap((result) => resultLines(result, release.namespace)),
    ),
    titled(
      'Warnings',
      status.warnings.map((warning) => `  ${indented(warning, 4)}`),
    ),
    titled(
      'Last lines of what failed',
      status.logTail.map((line) => `  ${line}`),
    ),
    text('Log', logOf(status, hasPod)),
    before === null ? [] : text('Run before', `${before.job.name}: ${before.phase}: ${before.message}`),
  ];
  return sections
    .filter((section) => section.length > 0)
    .flatMap((section, index) => (index === 0 ? section : ['', ...section]));
}

function logOf({ phase, release, job }: RunStatus, hasPod: boolean): string {
  if (hasPod) return `kubectl logs -n ${release.namespace} job/${job.name} -c ${POD.mainContainer}`;
  return isFinal(phase) ? 'gone with its pod' : '';
}

const WIDTH = 13;
const label = (name: string): string => `${name}:`.padEnd(WIDTH);
const text = (name: string, value: string): readonly string[] =>
  value === '' ? [] : [`${label(name)}${indented(value, WIDTH)}`];
const titled = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [title, ...lines];
/** Further lines of a text stand below its first. */
const indented = (value: string, columns: number): string =>
  value.trim().replaceAll('\n', `\n${' '.repeat(columns)}`);
const firstLine = (value: string): string => value.split('\n', 1)[0] ?? '';

function identity(status: RunStatus): readonly string[] {
  const { run, job, pod, aicr, pack, recipe, bundle } = status;
  const attempt = run.attempt === 1 ? '' : `, attempt ${run.attempt}`;
  const id = run.id === '' ? '' : `, runId ${run.id}`;
  const criteria = Object.entries(status.criteria).map(([name, value]) => `${name}=${value}`);
  const archive = aicr.sha256 === '' ? '' : ` (linux/${aicr.arch}, sha256 ${aicr.sha256})`;
  return [
    ...text('Run', job.name === '' ? '' : `${job.name}${id}${attempt}`),
    ...text('Pod', pod.name === '' ? '' : `${pod.name}${pod.node === '' ? '' : ` on ${pod.node}`}`),
    ...text('Time', times(status)),
    ...text('Chart', status.chartVersion),
    ...text('aicr', aicr.version === '' ? '' : `${aicr.version}${archive}`),
    ...text('Criteria', criteria.join(' ')),
    ...text('Data pack', `${pack.ref}${pack.digest === '' ? '' : ` (${pack.digest})`}`),
    ...text(
      'Recipe',
      recipe.digest === ''
        ? ''
        : `${recipe.componentCount} components from ${recipe.overlays.join(', ') || 'no overlay'} (${recipe.digest})`,
    ),
    ...text('Bundle', bundle.digest),
  ];
}

function times(status: RunStatus): string {
  if (status.startedAt === '') return '';
  const started = `began ${dateAndTime(status.startedAt)}`;
  if (isFinal(status.phase)) {
    return status.finishedAt === ''
      ? `${started}, last heard of ${dateAndTime(status.updatedAt)}`
      : `${started}, took ${duration(status.startedAt, status.finishedAt)}`;
  }
  const deadline = status.deadlineAt === '' ? '' : `, stops itself at ${dateAndTime(status.deadlineAt)}`;
  return `${started}, as of ${dateAndTime(status.updatedAt)}${deadline}`;
}

function stepLine(step: StepStatus): string {
  const began = step.startedAt === '' ? '' : timeOfDay(step.startedAt);
  const took = step.finishedAt === '' ? '' : duration(step.startedAt, step.finishedAt);
  const tries = step.attempts > 1 ? ` (${step.attempts} attempts)` : '';
  const said = firstLine(step.message === '' ? step.does : step.message);
  return `  ${step.name.padEnd(12)} ${step.state.padEnd(11)} ${began.padEnd(8)} ${took.padEnd(11)} ${said}${tries}`.trimEnd();
}

const componentTitle = ({ components }: RunStatus): string => {
  const installed = components.filter(({ state }) => state === 'Installed').length;
  return `Components (${installed} of ${components[0]?.of ?? 0} installed)`;
};

function componentLine({
  index,
  of,
  name,
  namespace,
  state,
  attempts,
}: RunStatus['components'][number]): string {
  const place = `${index}/${of}`.padEnd(6);
  const tries = attempts > 1 ? ` (${attempts} attempts)` : '';
  return `  ${place} ${state.padEnd(11)} ${name}${namespace === name ? '' : ` in ${namespace}`}${tries}`;
}

function upgradeLines({ upgradeCheck }: RunStatus): readonly string[] {
  const { outcome, message, components } = upgradeCheck;
  if (outcome === '') return [];
  const judged = components.filter(({ verdict }) => verdict !== '');
  return [
    ...text('Upgrade', `${outcome}: ${message}`),
    ...judged.flatMap(({ component, from, to, verdict, reason, precondition, steps }) => [
      `  ${verdict.padEnd(11)} ${component} ${from || 'none'} -> ${to || 'none'}${reason === '' ? '' : ` (${reason})`}`,
      ...(precondition === '' ? [] : [`              First: ${precondition}`]),
      ...steps.map((step, index) => `              ${index + 1}. ${step}`),
    ]),
  ];
}

function proofLines({ validation, evidence }: RunStatus): readonly string[] {
  const { outcome, tests, passed, failed, skipped, other } = validation;
  const { sha256, oci, digest } = evidence;
  return [
    ...text(
      'Validation',
      outcome === ''
        ? ''
        : `${outcome}: ${tests} checks, ${passed} passed, ${failed} failed, ${other} inconclusive, ${skipped} skipped`,
    ),
    ...text('Evidence', sha256 === '' ? '' : oci === '' ? `${sha256}, not published` : `${oci}@${digest}`),
  ];
}

function resultLines({ configMap, holds }: ResultRef, namespace: string): readonly string[] {
  const get = `kubectl get configmap ${configMap} -n ${namespace} -o jsonpath=`;
  const escaped = (key: string): string => key.replaceAll('.', '\\.');
  // What is split over several says itself how it is joined.
  const command = /\(with .* to .*\)/.test(holds)
    ? `${get}'{.data.${escaped(NOTES_KEY)}}'`
    : /evidence/.test(holds)
      ? `${get}'{.binaryData.${escaped('evidence.tgz')}}' | base64 -d > evidence.tgz`
      : `${get}'{.data.${escaped('summary.txt')}}'`;
  return [`  ${configMap}: ${holds}`, `    ${command}`];
}
