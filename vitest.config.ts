import { defineConfig } from 'vitest/config';

const minutes = (count: number): number => count * 60_000;

/** The suites that `hack/test NAME` runs; each needs more of the machine than the one before. */
export default defineConfig({
  test: {
    // Vitest's own second is short on a busy machine; what is waited for comes, or never does.
    expect: { poll: { timeout: minutes(0.5) } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/render/**', 'test/runner/**', 'test/cluster/**', 'test/release/**'],
          globalSetup: ['test/scratch-setup.ts'],
          testTimeout: minutes(1),
          hookTimeout: minutes(1),
        },
      },
      {
        // The chart through real Helm 3 and 4.
        extends: true,
        test: {
          name: 'render',
          include: ['test/render/**/*.test.ts'],
          globalSetup: ['test/scratch-setup.ts'],
          setupFiles: ['test/render/show-failures.ts'],
          // Vitest leaves one processor free. Files share a process on each: a chart is built, and the same values
          // are rendered, once in it.
          maxWorkers: '100%',
          isolate: false,
          testTimeout: minutes(2),
          hookTimeout: minutes(2),
        },
      },
      {
        // What a release is made of, and what makes it.
        extends: true,
        test: {
          name: 'release',
          include: ['test/release/**/*.test.ts'],
          globalSetup: ['test/scratch-setup.ts'],
          testTimeout: minutes(2),
          hookTimeout: minutes(5),
        },
      },
      {
        // The bundled program against real servers, one of them a real API server.
        extends: true,
        test: {
          name: 'runner',
          include: ['test/runner/**/*.test.ts'],
          globalSetup: ['test/scratch-setup.ts', 'hack/cluster/vitest/apiserver-setup.ts'],
          // They share it: what one installs, a run of another would take for somebody else's.
          fileParallelism: false,
          testTimeout: minutes(2),
          hookTimeout: minutes(2),
        },
      },
      {
        // What the throwaway cluster itself promises.
        extends: true,
        test: {
          name: 'cluster',
          include: ['test/cluster/**/*.test.ts'],
          // Each file starts clusters; side by side they would only wait for each other.
          fileParallelism: false,
          testTimeout: minutes(3),
          hookTimeout: minutes(3),
        },
      },
      {
        // Real installs on one real cluster that all files share: each test takes a namespace of its own.
        extends: true,
        test: {
          name: 'e2e',
          include: ['hack/e2e/*.test.ts'],
          globalSetup: ['hack/e2e/setup.ts'],
          // Installs mostly wait, so a few share the machine well.
          maxWorkers: 3,
          testTimeout: minutes(10),
          hookTimeout: minutes(5),
        },
      },
      {
        // What is done to an install, and what is left of it: docs/faults.md.
        extends: true,
        test: {
          name: 'faults',
          include: ['hack/e2e/faults/*.test.ts'],
          globalSetup: ['hack/e2e/setup.ts'],
          maxConcurrency: 3,
          testTimeout: minutes(15),
          hookTimeout: minutes(5),
        },
      },
    ],
  },
});
