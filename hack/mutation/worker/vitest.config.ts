import { defineConfig } from 'vitest/config';
import MeetingSequencer from './sequencer.ts';
import { readSetup } from './setup.ts';

const setup = readSetup();

/** The suite in one process that stays: its tests are collected once and run against every mutant. */
export default defineConfig({
  test: {
    ...setup,
    runner: new URL('runner.ts', import.meta.url).pathname,
    pool: 'forks',
    maxWorkers: 1,
    isolate: false,
    // What stands in a test tells which faults it is likely to notice.
    includeTaskLocation: true,
    fileParallelism: false,
    sequence: { sequencer: MeetingSequencer },
    // A snapshot that is missing is a failure, never a new file.
    update: false,
    watch: false,
    reporters: ['dot'],
  },
});
