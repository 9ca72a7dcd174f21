import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A check of a data pack: how it ends, and what it prints. */
export interface Check {
  readonly ends: 'passed' | 'failed' | 'skipped' | 'other';
  /** `deployment` when left out. */
  readonly phase?: 'deployment' | 'performance' | 'conformance';
  /** Something with its name and its end when left out. */
  readonly prints?: string;
}

/** Checks by name. */
export type Checks = Readonly<Record<string, Check>>;

/**
 * Gives a data pack validators of its own. Only the stand-in ends as told here: it reads the end from a validator's
 * first argument, where a real aicr starts the image with it.
 * @param folder of the pack
 */
export async function writeChecks(folder: string, checks: Checks): Promise<void> {
  const validators = Object.entries(checks).map(([name, { ends, phase = 'deployment', prints }]) => ({
    name,
    phase,
    image: 'registry.example/check:1',
    args: [ends, prints ?? `${name} says that it ${ends}`],
  }));
  const catalog = { apiVersion: 'validator.nvidia.com/v1alpha1', kind: 'ValidatorCatalog', validators };
  await mkdir(join(folder, 'validators'), { recursive: true });
  // JSON is YAML, and takes texts of megabytes without folding them.
  await writeFile(join(folder, 'validators/catalog.yaml'), JSON.stringify(catalog));
}
