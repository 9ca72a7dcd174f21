import {
  chartSchema,
  defaultsOf,
  helmValues,
  readModel,
  type ValuesSchema,
  valuesTable,
  valuesYaml,
} from '../schema/index.ts';
import { annotationsYaml } from './annotations.ts';
import { changesOf } from './changelog.ts';
import { imagesOf } from './images.ts';
import { checkProgramSize, type RunnerProgram } from './program.ts';
import { type ChartFile, fill } from './template.ts';

/** Everything a chart is made of. */
export interface ChartSources {
  /** Of the chart, for example `0.3.0`. */
  readonly version: string;
  /** SPDX identifier. */
  readonly license: string;
  /** Web address of the source, or empty. */
  readonly repository: string;
  /** CHANGELOG.md. */
  readonly changelog: string;
  readonly schema: ValuesSchema;
  /** The files of chart-templates. */
  readonly templates: readonly ChartFile[];
  readonly runner: RunnerProgram;
}

/**
 * Renders the chart: `.hbs` files are filled and lose that ending, other files are taken as they are, and the
 * program joins them as files that the templates read.
 * @throws TemplateError, or Error when the schema or the changelog is at fault or the program is too big
 */
export const renderChart = (sources: ChartSources): readonly ChartFile[] => {
  const { version, schema, templates, runner } = sources;
  checkProgramSize(runner);
  const model = readModel(schema);
  const context = {
    chartVersion: version,
    aicrVersion: String(defaultsOf(model)['aicrVersion']),
    values: valuesYaml(model).trimEnd(),
    schema: JSON.stringify(chartSchema(model), null, 2),
    table: valuesTable(model),
    helmValues: helmValues(model),
    annotations: annotationsYaml({
      ...sources,
      images: imagesOf(model),
      changes: changesOf(sources.changelog, version),
    }),
  };
  const filled = templates.map((file): ChartFile => {
    if (!file.path.endsWith('.hbs')) return file;
    const text = fill(file.path, new TextDecoder().decode(file.data), context);
    return { path: file.path.slice(0, -'.hbs'.length), data: new TextEncoder().encode(text) };
  });
  const program: readonly ChartFile[] = [
    { path: 'program/runner.mjs.br', data: runner.program },
    { path: 'program/handover.mjs', data: new TextEncoder().encode(runner.handover) },
  ];
  return [...filled, ...program];
};
