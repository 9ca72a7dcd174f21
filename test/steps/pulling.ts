import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { RunError } from '../../src/contract/index.ts';
import type { MountedSecret, PackStep } from '../../src/runner/planned.ts';
import { runStep, type StepOutcome } from '../../src/runner/steps/index.ts';
import { type TestContext, temporaryFolder, testContext } from './context.ts';
import { orasPath, type Registries, startRegistries, writePack } from './registries.ts';

/** Importing this gives a file three registries, and each of its tests a pack to push and a step that pulls. */

// Asked once: where it lies depends on HOME, which a test changes.
const oras = orasPath();
export let registries: Registries;
export let work: string;
/** Folder of a good pack. */
export let source: string;
export let test: TestContext;

beforeAll(async () => {
  registries = await startRegistries();
});
afterAll(() => registries.stop());
beforeEach(() => {
  work = temporaryFolder();
  source = join(temporaryFolder(), 'pack');
  writePack(source);
  test = testContext();
});

const step = (ref: string, change: Partial<PackStep> = {}): PackStep => ({
  name: 'pack',
  does: `pull ${ref}`,
  ref,
  plainHTTP: true,
  insecureTLS: false,
  secret: null,
  oras,
  dir: join(work, 'pack'),
  digestFile: join(work, 'pack.digest'),
  ...change,
});

export const pull = (ref: string, change?: Partial<PackStep>): Promise<StepOutcome> =>
  runStep(step(ref, change), test.context);

/** The RunError that the pull ends with; nothing of a failed pull may be in the pack's place. */
export async function failure(ref: string, change?: Partial<PackStep>): Promise<RunError> {
  const error = await pull(ref, change).then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof RunError)) throw error;
  expect(existsSync(join(work, 'pack'))).toBe(false);
  expect(error.hint).not.toBe('');
  return error;
}

/** The Secret that a private pack needs. */
export const pullSecret = (): MountedSecret => ({
  name: 'pull-secret',
  namespace: 'nvidia-aicr',
  key: '.dockerconfigjson',
  dir: join(work, 'secret'),
  value: 'dataPackSecret',
});

/** Mounts the Secret, as the kubelet would. */
export function landSecret(text: string, key = '.dockerconfigjson'): void {
  mkdirSync(join(work, 'secret'), { recursive: true });
  writeFileSync(join(work, 'secret', key), text);
}
