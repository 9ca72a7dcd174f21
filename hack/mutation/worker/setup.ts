/** Environment variable with what the suite needs of vitest, as JSON. */
export const SETUP = 'NVIDIA_AICR_MUTATION_SETUP';

/** What a suite needs of vitest. */
export interface VitestSetup {
  readonly root: string;
  /** Its files. */
  readonly include: string[];
  readonly globalSetup: string[];
  readonly setupFiles: string[];
  /** Milliseconds. */
  readonly testTimeout: number;
  readonly hookTimeout: number;
}

/** Reads it in the process that it was written for. */
export const readSetup = (): VitestSetup => JSON.parse(process.env[SETUP] ?? '{}') as VitestSetup;
