/** One problem of a values file. */
export interface Finding {
  readonly file: string;
  /** From 1; 0 when the place is not in the file, for example a value that is missing. */
  readonly line: number;
  readonly column: number;
  /** The value, for example `job.extraEnv[0].name`; empty for the file as a whole. */
  readonly path: string;
  readonly message: string;
}

/** A finding as one line, in the form that editors make a link of. */
export const describe = ({ file, line, column, path, message }: Finding): string => {
  const place = line === 0 ? file : `${file}:${line}:${column}`;
  return path === '' ? `${place}: ${message}` : `${place}: ${path}: ${message}`;
};

/** Steps from the root of a file to a value: names of keys, and positions in lists. */
export type Steps = readonly (string | number)[];

/** Writes steps the way messages name values. */
export const pathOf = (steps: Steps): string =>
  steps.map((step, n) => (typeof step === 'number' ? `[${step}]` : `${n === 0 ? '' : '.'}${step}`)).join('');

/** Reads the steps of a path again. */
export const stepsOf = (path: string): Steps =>
  path
    .split(/[.[\]]/)
    .filter((part) => part !== '')
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
