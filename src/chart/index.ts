export { packChart } from './archive.ts';
export { CHART_NAME, readFolder, writeFolder } from './folder.ts';
export { checkProgramSize, type RunnerProgram } from './program.ts';
export { type ChartSources, renderChart } from './render.ts';
export { type ChartFile, fill, TemplateError } from './template.ts';
