import type { ReasonCode } from '../../../contract/index.ts';
import type { Complaints } from './complaints.ts';
import { type Markers, plain } from './markers.ts';
import type { DeployVerdict } from './verdict.ts';

/** What is known of a deploy.sh that has ended. */
export interface Ended {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly tail: readonly string[];
  readonly markers: Markers;
  readonly complaints: Complaints;
}

/** A verdict in words. */
export interface Told {
  readonly message: string;
  readonly warnings: readonly string[];
  /** What was let pass. */
  readonly failures: readonly string[];
  /** Set when the verdict is a failure. */
  readonly error?: { readonly code: ReasonCode; readonly hint: string; readonly tail: readonly string[] };
}

const LONGEST_TAIL = 40;
const CONVERGE =
  'Let the GPU operator converge (its driver pods on every GPU node), then run the installer again; it re-runs deploy.sh.';
const REPAIR =
  'Fix what the lines say, then run the installer again: installed components are upgraded in place, not installed twice.';

/** Puts a verdict into words: a message, warnings, and for a failure its hint and the lines that explain it. */
export function describeVerdict(verdict: DeployVerdict, ended: Ended): Told {
  const { markers } = ended;
  const count = markers.components.length;
  switch (verdict.kind) {
    case 'succeeded':
      return {
        message: allInstalled(count),
        warnings: deferralNote(ended),
        failures: [],
      };
    case 'failures': {
      const names = verdict.names.length === 0 ? ['components that deploy.sh did not name'] : verdict.names;
      const message = `${names.length} of ${count} components failed and --best-effort went on: ${names.join(', ')}`;
      const why = names.map((name) => `${name} failed: ${firstComplaint(name, ended)}`);
      return { message, warnings: [...why, ...deferralNote(ended)], failures: names };
    }
    case 'deferred':
      return {
        message: `all components are installed; the DRA kubelet-plugin restart is deferred for: ${markers.report.deferral}`,
        warnings: [`deploy.sh deferred the DRA kubelet-plugin restart (exit ${ended.exitCode}). ${CONVERGE}`],
        failures: ['DRA kubelet-plugin restart'],
      };
    case 'unsaid': {
      const message =
        'deploy.sh ended with exit code 0 but said neither that all components are installed nor that some failed';
      return {
        message,
        warnings: [`${message}; check the releases with helm list -A`],
        failures: ['deploy.sh'],
      };
    }
    case 'failed':
      return describeFailure(verdict, ended);
  }
}

function allInstalled(count: number): string {
  if (count === 0) return 'deploy.sh says that all components are installed, and named none';
  return count === 1 ? 'the one component is installed' : `all ${count} components are installed`;
}

function describeFailure(verdict: DeployVerdict & { kind: 'failed' }, ended: Ended): Told {
  const { code, names } = verdict;
  const tail = [
    ...names.flatMap((name) => ended.complaints.of(name).map((line) => `${name}: ${line}`)),
    ...ended.tail,
  ];
  if (code === 'DeployDeferred') {
    return {
      message: `every component is installed, but deploy.sh deferred the DRA kubelet-plugin restart (exit ${ended.exitCode}) for: ${ended.markers.report.deferral}`,
      warnings: [],
      failures: [],
      error: { code, hint: CONVERGE, tail: ended.tail },
    };
  }
  return {
    message: failureMessage(names, ended),
    warnings: [],
    failures: [],
    error: { code, hint: failureHint(names, ended), tail: keepFirstAndLast(tail, ended.tail.length) },
  };
}

function failureMessage(names: readonly string[], ended: Ended): string {
  const { markers, complaints } = ended;
  const how = describeEnd(ended);
  if (names.length > 0) {
    return `${names.length === 1 ? 'component' : 'components'} ${names.join(', ')} failed: ${firstComplaint(names[0] ?? '', ended)} (deploy.sh: ${how})`;
  }
  if (markers.current !== null) {
    return `deploy.sh ended in the middle of component ${markers.current} (${how})`;
  }
  const said = complaints.of('')[0] ?? lastWords(ended.tail);
  return said === '' ? `deploy.sh failed: ${how}` : `deploy.sh failed: ${said} (${how})`;
}

function failureHint(names: readonly string[], { markers, exitCode, complaints }: Ended): string {
  if (complaints.of('').some((line) => /unknown option|--retries requires/.test(line))) {
    return 'deployFlags and deployArgs may hold --best-effort, --no-wait and --retries N.';
  }
  if (markers.report.preflight === 'failed') {
    return 'The pre-flight checks found leftovers in the cluster; the lines before the end say what to clean up and how.';
  }
  if (exitCode === 2 && names.length === 0) {
    return 'Exit 2 is let pass only under --best-effort, with the line that the DRA kubelet-plugin restart was deferred; there was none. See the log.';
  }
  return REPAIR;
}

const firstComplaint = (name: string, { complaints, markers }: Ended): string => {
  const attempts = markers.components.find((component) => component.name === name)?.attempts;
  const after = attempts === undefined ? '' : ` after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
  return `${complaints.of(name)[0] ?? 'see the log'}${after}`;
};

function describeEnd({ exitCode, signal }: Ended): string {
  if (exitCode === null) return `ended by ${signal}${signal === 'SIGKILL' ? ', out of memory?' : ''}`;
  if (exitCode === 127) return 'exit code 127: a program it needs is not in runtimeImage';
  return `exit code ${exitCode}`;
}

const deferralNote = ({ markers }: Ended): readonly string[] =>
  markers.report.deferral === null
    ? []
    : [`the DRA kubelet-plugin restart is deferred for: ${markers.report.deferral}. ${CONVERGE}`];

const lastWords = (tail: readonly string[]): string => tail.map(plain).findLast((line) => line !== '') ?? '';

/** The explaining lines first, then as many of the last ones as there is room for. */
function keepFirstAndLast(lines: readonly string[], last: number): readonly string[] {
  const first = lines.slice(0, Math.min(lines.length - last, LONGEST_TAIL / 2));
  return [...first, ...lines.slice(lines.length - last).slice(-(LONGEST_TAIL - first.length))];
}
