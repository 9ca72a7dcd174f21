import { parse } from 'yaml';
import { renderChart } from '../../src/chart/index.ts';
import { chartSources } from '../render/sources.ts';

/** The annotations in Chart.yaml, of the chart with these changes to its sources. */
export async function annotationsOf(
  changes: Parameters<typeof chartSources>[0],
): Promise<Readonly<Record<string, string>>> {
  const files = renderChart(await chartSources(changes));
  const chart = files.find(({ path }) => path === 'Chart.yaml');
  return (parse(new TextDecoder().decode(chart?.data)) as { annotations: Record<string, string> })
    .annotations;
}
