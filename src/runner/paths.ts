import { join } from 'node:path';
import { POD } from '../contract/index.ts';

/** The contract's paths as this process sees them. */
export type PodPaths = { readonly [Key in keyof typeof POD]: string };

/** The entries of POD that are paths; the others are names. */
const PATHS = [
  'programDir',
  'runnerDir',
  'runSpecFile',
  'packAuthDir',
  'publishAuthDir',
  'identityTokenDir',
  'workDir',
  'terminationMessageFile',
  'serviceAccountDir',
] as const satisfies readonly (keyof typeof POD)[];

/**
 * The pod's paths below another root. In the pod the root is empty; tests and the bench give a folder with the
 * argument `--root=DIR`. An argument, so that no child inherits it and no value of the chart can set it.
 * @param root absolute path without a slash at its end, or empty
 */
export function podPaths(root: string): PodPaths {
  const paths: Record<keyof typeof POD, string> = { ...POD };
  for (const key of PATHS) {
    paths[key] = root === '' ? POD[key] : join(root, POD[key]);
  }
  return paths;
}

/**
 * Takes `--root=DIR` out of the program's arguments.
 * @param args process.argv without node and script
 * @returns the root, empty when none was given
 */
export function rootOf(args: readonly string[]): string {
  const given = args.find((arg) => arg.startsWith('--root='));
  return given === undefined ? '' : given.slice('--root='.length).replace(/\/+$/, '');
}
