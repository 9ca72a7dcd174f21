import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderChart } from '../../src/chart/index.ts';
import { chartSources } from '../../test/render/chart.ts';
import vitestConfig from '../../vitest.config.ts';
import type { Project } from './run/project.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const SUITE = 'test/render';

/** Files of the suite that judge no mutant, each with the reason. What they find, the others must find too. */
const LEFT_OUT: readonly { readonly files: RegExp; readonly reason: string }[] = [
  { files: /apiserver/, reason: 'starts an API server: half a minute for each mutant' },
  { files: /^properties\./, reason: 'tries hundreds of random values: minutes for each mutant' },
  { files: /^openapi\./, reason: "compiles Kubernetes' schemas, and finds only what makes objects illegal" },
];

/** The nvidia-aicr chart and its render suite. */
export const chartProject: Project = {
  name: 'chart',
  root,
  chart: async () => {
    const decoder = new TextDecoder();
    const files = renderChart(await chartSources());
    const texts = files.filter(({ path: name }) => /^(templates\/.*|values\.schema\.json)$/.test(name));
    return texts.map(({ path: name, data }) => ({ path: name, text: decoder.decode(data) }));
  },
  suite: async () => {
    const names = await readdir(path.join(root, SUITE), { recursive: true });
    const include = names
      .filter((name) => name.endsWith('.test.ts') && !LEFT_OUT.some(({ files }) => files.test(name)))
      .map((name) => `${SUITE}/${name}`);
    const { testTimeout = 60_000, hookTimeout = 60_000, globalSetup = [], setupFiles = [] } = renderProject();
    return {
      root,
      include: include.sort(),
      globalSetup: [globalSetup].flat(),
      setupFiles: [setupFiles].flat(),
      testTimeout,
      hookTimeout,
    };
  },
  sources: [SUITE, 'src', 'hack/mutation', 'package-lock.json'],
  equivalents: 'hack/mutation/equivalents.yaml',
  out: 'dist/mutation',
  origin: (file) => {
    if (!file.startsWith('templates/')) return file;
    const source = `chart-templates/${file}`;
    return existsSync(path.join(root, `${source}.hbs`)) ? `${source}.hbs` : source;
  },
};

/** The suite's own settings in vitest.config.ts. */
const renderProject = () => {
  for (const project of vitestConfig.test?.projects ?? []) {
    if (typeof project === 'object' && 'test' in project && project.test?.name === 'render')
      return project.test;
  }
  throw new Error('vitest.config.ts has no project named render');
};
