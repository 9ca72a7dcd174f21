import { isFinal, type RunStatus, type StepStatus } from '../../contract/index.ts';

/**
 * The status for people, in about twenty lines; of a run that failed also the last lines of what failed: the log goes
 * with the Job.
 * @param status as shown, that is masked
 * @param mainContainer name of the container that has the log
 */
export function summaryText(status: RunStatus, mainContainer: string): string {
  const { release, job } = status;
  const lines = [
    `Release ${release.name} in namespace ${release.namespace}, run ${job.name}: ${status.phase}`,
    ...(status.reason === '' ? [] : [`Reason:     ${status.reason}`]),
    `Message:    ${indent(status.message)}`,
    ...(status.hint === '' ? [] : [`What to do: ${indent(status.hint)}`]),
    ...(status.rerun === '' ? [] : [`Run again:  ${indent(status.rerun)}`]),
    `Time:       ${times(status)}`,
    `aicr:       ${status.aicr.version}${status.aicr.sha256 === '' ? '' : ` linux/${status.aicr.arch}, sha256 ${status.aicr.sha256}`}`,
    ...asked(status),
    ...resolved(status),
    'Steps:',
    ...status.steps.map(stepLine),
    ...componentLines(status),
    ...proofLines(status),
    ...(status.results.length === 0 ? [] : ['Results:']),
    ...status.results.map(
      ({ configMap, holds }) => `  ${holds}: kubectl describe configmap ${configMap} -n ${release.namespace}`,
    ),
    ...(status.warnings.length === 0 ? [] : ['Warnings:']),
    ...status.warnings.map((warning) => `  ${indent(warning)}`),
    ...(status.logTail.length === 0 ? [] : ['Last lines:']),
    ...status.logTail.map((line) => `  ${line}`),
    `Log:        kubectl logs job/${job.name} -n ${release.namespace} -c ${mainContainer}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** Further lines of a text stand below its first. */
const indent = (text: string): string => text.trim().replaceAll('\n', '\n            ');

function times(status: RunStatus): string {
  const started = `started ${shortTime(status.startedAt)}`;
  const attempt = status.run.attempt === 1 ? '' : `, attempt ${status.run.attempt}`;
  if (isFinal(status.phase)) {
    return `${started}, took ${duration(status.startedAt, status.finishedAt)}${attempt}`;
  }
  const deadline = status.deadlineAt === '' ? '' : `, stops itself at ${shortTime(status.deadlineAt)}`;
  return `${started}, as of ${shortTime(status.updatedAt)}${deadline}${attempt}`;
}

function asked({ criteria, pack }: RunStatus): string[] {
  const stated = Object.entries(criteria).map(([name, value]) => `${name}=${value}`);
  const packAt = pack.digest === '' ? pack.ref : `${pack.ref} (${pack.digest})`;
  return [
    `Criteria:   ${stated.length === 0 ? 'none' : stated.join(' ')}`,
    ...(pack.ref === '' ? [] : [`Data pack:  ${packAt}`]),
  ];
}

function resolved({ recipe }: RunStatus): string[] {
  return recipe.digest === ''
    ? []
    : [`Recipe:     ${recipe.componentCount} components from ${recipe.overlays.join(', ') || 'no overlay'}`];
}

function stepLine(step: StepStatus): string {
  const took = step.finishedAt === '' ? '' : duration(step.startedAt, step.finishedAt);
  const tries = step.attempts > 1 ? ` (try ${step.attempts})` : '';
  const text = firstLine(step.message === '' ? step.does : step.message);
  return `  ${step.name.padEnd(12)} ${step.state.padEnd(11)} ${took.padEnd(9)} ${text}${tries}`.trimEnd();
}

function componentLines({ components }: RunStatus): string[] {
  const [first] = components;
  if (first === undefined) {
    return [];
  }
  const named = (state: string): string =>
    components
      .filter((component) => component.state === state)
      .map(({ name }) => name)
      .join(', ');
  const installed = components.filter(({ state }) => state === 'Installed').length;
  const rest = ['Failed', 'Installing', 'Interrupted'].flatMap((state) =>
    named(state) === '' ? [] : [`${state.toLowerCase()}: ${named(state)}`],
  );
  return [`Components: ${[`${installed} of ${first.of} installed`, ...rest].join('; ')}`];
}

/** What validation came to, and where its evidence is. */
function proofLines({ validation, evidence, steps }: RunStatus): string[] {
  const said = firstLine(steps.find(({ name }) => name === 'validate')?.message ?? '');
  const { sha256, oci, digest } = evidence;
  return [
    ...(validation.outcome === '' ? [] : [`Validation: ${said === '' ? validation.outcome : said}`]),
    ...(sha256 === '' ? [] : [`Evidence:   ${oci === '' ? `${sha256}, not published` : `${oci}@${digest}`}`]),
  ];
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

/** `2026-11-30 02:43:12 UTC` of an RFC 3339 time. */
const shortTime = (time: string): string => `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`;

/** `1 h 2 min`, `3 min 4 s` or `5 s` between two RFC 3339 times. */
function duration(from: string, to: string): string {
  const seconds = Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1000));
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 60) {
    return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  }
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}
