import { existsSync } from 'node:fs';
import { tearDown } from './index.ts';
import { caretaker, listClusters } from './state.ts';

const given = process.argv.slice(2);
for (const folder of given.length > 0
  ? given
  : listClusters().filter((folder) => caretaker(folder) !== 'living')) {
  try {
    if (!existsSync(folder))
      throw new Error('no such folder; clusters are the folders that hack/cluster/up prints');
    tearDown(folder);
    process.stdout.write(`stopped ${folder}\n`);
  } catch (error) {
    process.stderr.write(`${folder}: ${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}
