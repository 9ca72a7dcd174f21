/**
 * Mutation tests of the TypeScript, by StrykerJS. Judged are the files whose tests call them directly (vitest.config.ts):
 * a mutant takes a second then. What reaches for processes, servers or a cluster is left to the suites "runner" and
 * "e2e", where one mutant would take a minute.
 *
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
  mutate: [
    // What makes the chart, from values.schema.json to the archive.
    'src/schema/*.ts',
    'src/chart/*.ts',
    // What chart and runner agree on. The explanations are prose, which a test could only repeat.
    'src/contract/*.ts',
    '!src/contract/explanations.ts',
    // What the runner decides, reads and writes down, without the outside world.
    'src/runner/{deadline,end,mask,spec,termination}.ts',
    'src/runner/ports/{lines,text}.ts',
    'src/runner/lock/{claim,decide,document,watch}.ts',
    'src/runner/plan/*.ts',
    'src/runner/results/{budget,keys,layout,notes,slices,text}.ts',
    'src/runner/status/{document,history,newest,recorder,summary}.ts',
    'src/runner/steps/aicr/failure.ts',
    'src/runner/steps/deploy/{markers,verdict}.ts',
    'src/runner/steps/download/checksums.ts',
    'src/runner/steps/registry/{credentials,reference}.ts',
    'src/runner/steps/releases/*.ts',
    '!src/runner/steps/releases/index.ts',
    'src/runner/steps/upgradecheck/{report,summary,verdict}.ts',
    'src/runner/steps/validate/{ctrf,shorten,summary,verdict}.ts',
  ],
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'hack/stryker/vitest.config.ts' },
  coverageAnalysis: 'perTest',
  // A mutant of what is computed while a module is loaded (names, limits, patterns) cannot be switched on for one test:
  // it asks for a fresh load of everything and for all tests. They are one in twenty here (40 of 783 in schema, chart
  // and contract), and took more than half of the time where it was measured (stryker-js, pull request 3284). The suites
  // "render" and "runner" compare these constants with the chart and with real servers.
  ignoreStatic: true,
  // Stryker rewrites this file with TypeScript's old API, which TypeScript 7 has not; ours needs no rewriting.
  tsconfigFile: 'none.json',
  thresholds: { high: 95, low: 90, break: 90 },
  tempDirName: '.stryker-tmp',
  reporters: ['clear-text', 'progress-append-only', 'json', 'html'],
  clearTextReporter: { logTests: false, reportTests: false, allowColor: false },
  jsonReporter: { fileName: 'reports/stryker/mutants.json' },
  htmlReporter: { fileName: 'reports/stryker/mutants.html' },
};
