/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'hack/stryker/vitest.config.ts' },
  // Stryker rewrites this file with TypeScript's old API, which TypeScript 7 has not; ours needs no rewriting.
  tsconfigFile: 'none.json',
  coverageAnalysis: 'perTest',
  mutate: ['src/{schema,chart,contract}/*.ts'],
  thresholds: { high: 95, low: 90, break: 90 },
  concurrency: 1,
  tempDirName: '.stryker-tmp',
  reporters: ['clear-text', 'json', 'html'],
  clearTextReporter: { logTests: false, reportTests: false, allowColor: false, reportMutants: true },
  jsonReporter: { fileName: 'reports/stryker/mutants.json' },
  htmlReporter: { fileName: 'reports/stryker/mutants.html' },
};
