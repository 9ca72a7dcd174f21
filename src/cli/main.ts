#!/usr/bin/env node
/** The command. Only this file prints and sets the exit code; USAGE lists what each means. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { renderCatalog } from '../catalog/index.ts';
import { CHART_NAME, packChart, renderBom, renderChart, writeFolder } from '../chart/index.ts';
import { checkValues, describe } from './check/index.ts';
import { Failure } from './failure.ts';
import { readAllSources, readCatalogSources, readSources } from './sources.ts';
import { ClusterFailure, printStatus } from './status/index.ts';

const USAGE = `Usage:
  nvidia-aicr-chart build [--out DIR]     writes the chart's folder, DIR/${CHART_NAME}
  nvidia-aicr-chart package [--out DIR]   writes DIR/${CHART_NAME}-<version>.tgz, and its bill of
                                          materials (CycloneDX) beside it, .cdx.json
  nvidia-aicr-chart check -f VALUES.yaml  lists every problem of a values file; -f can be repeated,
                                          and - is standard input
  nvidia-aicr-chart catalog [--out DIR]   writes the entry for k0rdent's catalog and the ServiceTemplate into DIR/catalog
  nvidia-aicr-chart status [RELEASE]      says how a release's run in a cluster stands
  nvidia-aicr-chart --version             says the version of this command and of the chart it makes

DIR is dist when it is not given. Exit status: 0 fine, 1 problems found, 2 anything else (a check without helm is half a check).

status takes -n/--namespace, --kubeconfig and --context as kubectl does; without RELEASE it is the only one of the
namespace. --follow says what changes until the run has ended; --output json gives the status document.
Exit status of status: 0 succeeded (with a warning when components failed under best effort), 1 failed or
interrupted, 2 running or waiting, 3 wrong arguments, no such release or several, 4 the cluster cannot be asked.`;

/** Exit codes of status beside those that say how the run stands. */
const STATUS_MISUSED = 3;
const CLUSTER_SILENT = 4;

const build = async (out: string): Promise<number> => {
  console.log(await writeFolder(renderChart(await readAllSources()), out));
  return 0;
};

const packageChart = async (out: string): Promise<number> => {
  const sources = await readAllSources();
  const file = path.join(out, `${CHART_NAME}-${sources.version}`);
  await mkdir(out, { recursive: true });
  await writeFile(`${file}.tgz`, await packChart(renderChart(sources)));
  await writeFile(`${file}.cdx.json`, renderBom(sources, sources.packages));
  console.log(`${file}.tgz\n${file}.cdx.json`);
  return 0;
};

const catalog = async (out: string): Promise<number> => {
  for (const { path: name, data } of renderCatalog(await readCatalogSources())) {
    const file = path.join(out, 'catalog', name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, data);
    console.log(file);
  }
  return 0;
};

const check = async (files: readonly string[]): Promise<number> => {
  const { findings, unchecked } = await checkValues(files, await readSources());
  for (const finding of findings) console.log(describe(finding));
  if (unchecked !== '') console.error(unchecked);
  const count = findings.length === 1 ? '1 problem' : `${findings.length} problems`;
  const none = unchecked === '' ? 'No problems.' : 'No problems in what was checked.';
  console.log(findings.length === 0 ? none : `${count}.`);
  if (findings.length > 0) return 1;
  // A pipeline that asks for the exit status alone must not take half a check for a whole one.
  return unchecked === '' ? 0 : 2;
};

const usage = (what: string): number => {
  console.error(`${what}\n\n${USAGE}`);
  return 2;
};

/** Reads arguments; node's own words for a wrong one go on about things that nobody here has asked for. */
const readArguments: typeof parseArgs = (config) => {
  try {
    return parseArgs(config);
  } catch (error) {
    const [what] = (error instanceof Error ? error.message : String(error)).split(/\.? To specify |\n/);
    throw new Failure(`${what}; nvidia-aicr-chart --help lists what there is`, { cause: error });
  }
};

const status = async (argv: readonly string[]): Promise<number> => {
  const { values, positionals } = readArguments({
    args: [...argv],
    allowPositionals: true,
    options: {
      namespace: { type: 'string', short: 'n' },
      kubeconfig: { type: 'string' },
      context: { type: 'string' },
      follow: { type: 'boolean', default: false },
      output: { type: 'string', short: 'o', default: 'text' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const { help, follow, output, ...choice } = values;
  if (help === true) {
    console.log(USAGE);
    return 0;
  }
  const [release, ...rest] = positionals;
  if (rest.length > 0) throw new Failure(`Too many arguments: ${rest.join(' ')}`);
  if (output !== 'text' && output !== 'json') {
    throw new Failure(`--output ${output} is not known: use text or json`);
  }
  const to = { say: console.log, note: console.error };
  return await printStatus({
    ...choice,
    ...(release === undefined ? {} : { release }),
    follow,
    output,
    ...to,
  });
};

const COMMANDS = ['build', 'package', 'check', 'catalog', 'status'];

const run = async (argv: readonly string[]): Promise<number> => {
  const { values, positionals } = readArguments({
    args: [...argv],
    allowPositionals: true,
    options: {
      out: { type: 'string' },
      file: { type: 'string', short: 'f', multiple: true },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean' },
    },
  });
  if (values.help === true) {
    console.log(USAGE);
    return 0;
  }
  if (values.version === true) {
    console.log((await readSources()).version);
    return 0;
  }
  const [command, ...rest] = positionals;
  if (command === undefined) return usage('A command is missing');
  if (!COMMANDS.includes(command)) return usage(`${command} is not a command`);
  if (command === 'check' && rest.length > 0) {
    return usage(`check takes its files by -f: ${rest.map((file) => `-f ${file}`).join(' ')}`);
  }
  if (rest.length > 0) return usage(`Too many arguments: ${rest.join(' ')}`);
  if (command === 'check') {
    if (values.out !== undefined) return usage('check has no --out');
    return values.file === undefined ? usage('check needs -f VALUES.yaml') : await check(values.file);
  }
  if (values.file !== undefined) return usage('Only check has -f');
  if (command === 'build') return await build(values.out ?? 'dist');
  if (command === 'package') return await packageChart(values.out ?? 'dist');
  if (command === 'catalog') return await catalog(values.out ?? 'dist');
  return usage(`${command} comes first, before its options`);
};

/** What shells give a program that SIGPIPE has ended: its reader has seen enough (`| head`). */
const NOBODY_READS = 141;

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(NOBODY_READS);
    throw error;
  });
}

const [command, ...rest] = process.argv.slice(2);
try {
  process.exitCode = await (command === 'status' ? status(rest) : run(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  const ofStatus = error instanceof ClusterFailure ? CLUSTER_SILENT : STATUS_MISUSED;
  process.exitCode = command === 'status' ? ofStatus : 2;
}
