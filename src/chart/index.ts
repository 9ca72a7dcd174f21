export { packChart } from './archive.ts';
export { type BundledPackage, renderBom } from './bom.ts';
export { changesOf, releaseDayOf } from './changelog.ts';
export { CHART_NAME, readFolder, writeFolder } from './folder.ts';
export { type ChartImage, imagesOf, qualify, readImage } from './images.ts';
export { checkProgramSize, type RunnerProgram } from './program.ts';
export { type ChartSources, renderChart } from './render.ts';
export { type ChartFile, fill, TemplateError } from './template.ts';
