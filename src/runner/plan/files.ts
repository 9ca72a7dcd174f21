import { join } from 'node:path';
import type { RunSpec } from '../../contract/index.ts';
import type { RecipeFiles } from '../planned.ts';

/** Where a run keeps what its steps hand on. */
export interface Files {
  readonly aicr: string;
  /** Folder of the data pack. */
  readonly pack: string;
  readonly packDigest: string;
  readonly recipe: RecipeFiles;
  /** Folder of the bundle. */
  readonly bundle: string;
  /** What the run writes into the list of components once it deploys. */
  readonly claims: string;
  /** aicr's report on the upgrade. */
  readonly upgrade: string;
  /** The CTRF report of the validation. */
  readonly report: string;
  /** Folder of the evidence. */
  readonly evidence: string;
  /** The evidence, packed. */
  readonly archive: string;
  /** Folder for the docker config of the child that publishes. */
  readonly publishAuth: string;
}

/** @param work the only writable folder */
export const filesIn = (work: string): Files => ({
  aicr: join(work, 'aicr', 'aicr'),
  pack: join(work, 'pack'),
  packDigest: join(work, 'pack.digest'),
  recipe: { file: join(work, 'recipe.yaml'), summary: join(work, 'recipe.summary') },
  bundle: join(work, 'bundle'),
  claims: join(work, 'claims.json'),
  upgrade: join(work, 'upgrade-check.json'),
  report: join(work, 'ctrf.json'),
  evidence: join(work, 'evidence'),
  archive: join(work, 'evidence.tgz'),
  publishAuth: join(work, 'publish-auth'),
});

/** What tells aicr of the data pack; nothing without one. */
export const dataArgs = (spec: RunSpec, files: Files): readonly string[] =>
  spec.pack.ref === '' ? [] : ['--data', files.pack];
