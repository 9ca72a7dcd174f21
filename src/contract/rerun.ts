import type { RunSpec } from './generated/run-spec.ts';

/**
 * The runId that makes another run of the same configuration: the next number after a number, `-2` behind a word.
 * Nothing in it depends on time: the same run always suggests the same.
 * @param id runId of this run
 */
export function nextRunId(id: string): string {
  // A text that a shell or --set-string would take apart is not continued.
  if (!/^[A-Za-z0-9._-]{1,60}$/.test(id)) {
    return '1';
  }
  const next = id.replace(/(?<=^|-)\d{1,15}$/, (number) => `${Number(number) + 1}`);
  return next === id ? `${id}-2` : next;
}

/** How to run the same configuration again, as one line; empty when run.json does not tell the release. */
export function rerunLine(spec: RunSpec): string {
  const { name, namespace } = spec.release;
  if (name === '') {
    return '';
  }
  const id = nextRunId(spec.run.id);
  return `helm upgrade ${name} <your chart> -n ${namespace} --reuse-values --set-string runId=${id} (under a reconciler, or as part of an umbrella chart: set this chart's runId to ${id} in the values)`;
}
