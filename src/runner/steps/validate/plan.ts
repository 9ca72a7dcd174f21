import type { ValidateStep, VerdictTarget } from './planned.ts';

/** What the values say about validation. */
export interface ValidateWish {
  readonly phases: readonly string[];
  readonly failOnError: boolean;
  readonly emitEvidence: boolean;
  /** Words of validateFlags, already split; they go before `args`. */
  readonly flags: readonly string[];
  readonly args: readonly string[];
}

/** Where the run keeps what validation reads and writes. */
export interface ValidateFiles {
  readonly aicr: string;
  readonly recipe: string;
  /** Folder of the data pack; empty without one. */
  readonly pack: string;
  readonly report: string;
  readonly evidence: string;
}

/** Plans `aicr validate`, with its argument list written out. */
export function planValidate(
  wish: ValidateWish,
  files: ValidateFiles,
  target: VerdictTarget,
  version: string,
): ValidateStep {
  const { phases, failOnError, emitEvidence, flags, args } = wish;
  return {
    name: 'validate',
    does: `validate the cluster against the recipe (${phases.length === 1 ? 'phase' : 'phases'} ${phases.join(', ')})`,
    argv: [
      files.aicr,
      'validate',
      '--recipe',
      files.recipe,
      ...phases.flatMap((phase) => ['--phase', phase]),
      ...(files.pack === '' ? [] : ['--data', files.pack]),
      ...(emitEvidence ? ['--emit-attestation', files.evidence] : []),
      '--output',
      files.report,
      ...flags,
      ...args,
    ],
    phases,
    reportFile: files.report,
    evidenceDir: emitEvidence ? files.evidence : '',
    failOnError,
    target,
    version,
  };
}
