import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Scenario } from './scenario.ts';

/**
 * Installs a Helm release under the name of one of the data pack's components, as another tool would have: of another
 * chart, with a ConfigMap `theirs` in it.
 * @param component without the scenario's word: `probe`
 * @returns its name, which its namespace has as well
 */
export async function installForeign(scenario: Scenario, component: string): Promise<string> {
  const { cluster, word } = scenario;
  const name = `${word}-${component}`;
  const chart = join(cluster.folder, `foreign-${name}`);
  await mkdir(join(chart, 'templates'), { recursive: true });
  await writeFile(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: theirs\nversion: 7.0.0\n');
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'theirs' } };
  await writeFile(join(chart, 'templates', 'theirs.yaml'), JSON.stringify(object));
  await cluster.run(['helm4', 'install', name, chart, '--namespace', name, '--create-namespace']);
  return name;
}
