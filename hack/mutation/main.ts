/** Mutation tests of the chart: `npm run mutate`. docs/mutation.md says how to read what it prints. */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { ensureTools } from '../cluster/index.ts';
import { chartProject } from './chart-project.ts';
import { type Mutant, mutantsOf, mutate } from './index.ts';

const USAGE = `Usage: npm run mutate -- [OPTION...]

  --workers N      vitest processes side by side (default: one a core)
  --fresh          judge every mutant again, also those that an earlier run has judged
  --prove          compare every render of the suite with the real helm's first; takes minutes
  --file TEXT      only mutants of files with TEXT in their path
  --operator NAME  only mutants of one operator
  --id ID          only this mutant; may be given several times
  --list           print the mutants and judge none
`;

const readOptions = (args: readonly string[]) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      workers: { type: 'string', default: String(availableParallelism()) },
      fresh: { type: 'boolean', default: false },
      prove: { type: 'boolean', default: false },
      file: { type: 'string', default: '' },
      operator: { type: 'string' },
      id: { type: 'string', multiple: true },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const workers = Number(values.workers);
  if (!Number.isInteger(workers) || workers < 1)
    throw new TypeError(`--workers ${values.workers}: no number of workers`);
  return { ...values, workers };
};

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const main = async (args: readonly string[]): Promise<number> => {
  const options = readOptions(args);
  if (options.help) {
    say(USAGE);
    return 0;
  }
  const wanted = ({ id, file, operator }: Mutant): boolean =>
    (options.id === undefined || options.id.includes(id)) &&
    file.includes(options.file) &&
    (options.operator === undefined || options.operator === operator);
  if (options.list) {
    for (const { id, file, line, operator, area } of mutantsOf(await chartProject.chart()).filter(wanted)) {
      say(`${id}  ${chartProject.origin(file)}:${line}  ${operator}  (${area})`);
    }
    return 0;
  }
  await ensureTools(['helm3', 'helm4']);
  const { faults } = await mutate(chartProject, { ...options, wanted, say });
  return faults.length === 0 ? 0 : 1;
};

// A signal ends the process in the ordinary way, so that the workers are stopped.
for (const [signal, number] of [
  ['SIGHUP', 1],
  ['SIGINT', 2],
  ['SIGTERM', 15],
] as const) {
  process.once(signal, () => process.exit(128 + number));
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`mutation: ${error instanceof Error ? error.message : error}\n`);
  return 2;
});
