import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { chart, scratchFolder } from './chart.ts';

/**
 * Writes an umbrella chart with our chart in it.
 * @param values of the umbrella's own values.yaml
 * @returns its folder
 */
export const umbrella = (dependencies: readonly object[], values: object = {}): string => {
  const folder = path.join(scratchFolder('umbrella'), 'umbrella');
  mkdirSync(path.join(folder, 'charts'), { recursive: true });
  cpSync(chart, path.join(folder, 'charts', 'nvidia-aicr'), { recursive: true });
  const metadata = { apiVersion: 'v2', name: 'umbrella', version: '1.0.0', dependencies };
  writeFileSync(path.join(folder, 'Chart.yaml'), JSON.stringify(metadata));
  writeFileSync(path.join(folder, 'values.yaml'), JSON.stringify(values));
  return folder;
};
