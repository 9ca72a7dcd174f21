import { type ChartSources, renderChart, writeFolder } from '../../src/chart/index.ts';
import { chartSources, scratchFolder } from './sources.ts';

export { CHANGELOG, chartSources, scratchFolder } from './sources.ts';

/** Builds a chart into a folder of its own and returns the chart's path. */
export const buildChart = async (changes: Partial<ChartSources> = {}): Promise<string> =>
  writeFolder(renderChart(await chartSources(changes)), scratchFolder('chart'));

/** The chart that most tests render. */
export const chart = await buildChart();
