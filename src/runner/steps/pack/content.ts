import { readdir, rename, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { RunError } from '../../../contract/index.ts';
import type { PackStep } from '../../planned.ts';

const SHOWN_NAMES = 10;

/**
 * Checks that what was pulled is a data pack and puts it in its place. `oras push REF ./pack` packs the folder itself,
 * so a pack may sit in the one folder inside.
 * @param pulled folder with what was pulled
 * @throws RunError `PackInvalid`, naming the reference and what was found
 */
export async function settlePack(step: PackStep, pulled: string): Promise<void> {
  const entries = await readdir(pulled, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory());
  const roots = [pulled, ...(folders.length === 1 ? folders.map(({ name }) => join(pulled, name)) : [])];
  for (const root of roots) {
    if (!(await isFile(join(root, 'registry.yaml')))) continue;
    await refuseLinks(step, root);
    await rename(root, step.dir);
    return;
  }
  const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
  throw invalid(step, `it has no registry.yaml; found: ${list(names)}`);
}

/** aicr refuses a pack with links, but only after the recipe step has begun. */
async function refuseLinks(step: PackStep, root: string): Promise<void> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const odd = entries
    .filter((entry) => !entry.isFile() && !entry.isDirectory())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
  if (odd.length > 0)
    throw invalid(step, `it holds links or special files, which aicr refuses: ${list(odd)}`);
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (facts) => facts.isFile(),
    () => false,
  );

function list(names: readonly string[]): string {
  if (names.length === 0) return 'nothing (its layers carry no file names)';
  const shown = names.slice(0, SHOWN_NAMES).join(', ');
  return names.length > SHOWN_NAMES ? `${shown} and ${names.length - SHOWN_NAMES} more` : shown;
}

const invalid = (step: PackStep, fault: string): RunError =>
  new RunError('PackInvalid', `${step.ref} is not a data pack: ${fault}`, {
    hint: 'Push the folder that holds registry.yaml with `oras push REF .` from inside it, without links.',
  });
