#!/usr/bin/env node
/** The developer's command. Only this file prints and sets the exit code: 0 fine, 1 findings, 2 anything else. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { renderCatalog } from '../catalog/index.ts';
import { CHART_NAME, packChart, renderBom, renderChart, writeFolder } from '../chart/index.ts';
import { checkValues, describe } from './check/index.ts';
import { readAllSources, readCatalogSources, readSources } from './sources.ts';

const USAGE = `Usage:
  nvidia-aicr-chart build [--out DIR]     writes the chart's folder, DIR/${CHART_NAME}
  nvidia-aicr-chart package [--out DIR]   writes DIR/${CHART_NAME}-<version>.tgz, and its bill of
                                          materials (CycloneDX) beside it, .cdx.json
  nvidia-aicr-chart check -f VALUES.yaml  lists every problem of a values file; -f can be repeated
  nvidia-aicr-chart catalog [--out DIR]   writes the entry for k0rdent's catalog and the ServiceTemplate into DIR/catalog

DIR is dist when it is not given. Exit status: 0 fine, 1 problems found, 2 anything else (a check without helm is half a check).`;

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

const run = async (argv: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      out: { type: 'string' },
      file: { type: 'string', short: 'f', multiple: true },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) {
    console.log(USAGE);
    return 0;
  }
  const [command, ...rest] = positionals;
  if (rest.length > 0) return usage(`Too many arguments: ${rest.join(' ')}`);
  if (command === 'check') {
    if (values.out !== undefined) return usage('check has no --out');
    return values.file === undefined ? usage('check needs -f VALUES.yaml') : await check(values.file);
  }
  if (values.file !== undefined) return usage('Only check has -f');
  if (command === 'build') return await build(values.out ?? 'dist');
  if (command === 'package') return await packageChart(values.out ?? 'dist');
  if (command === 'catalog') return await catalog(values.out ?? 'dist');
  return usage(command === undefined ? 'A command is missing' : `${command} is not a command`);
};

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
