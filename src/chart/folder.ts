import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { byPath, type ChartFile } from './template.ts';

/** Name of the chart, and so of its folder. */
export const CHART_NAME = 'nvidia-aicr';

/**
 * Reads all files below a folder.
 * @returns paths relative to the folder, with forward slashes, sorted
 */
export const readFolder = async (folder: string): Promise<readonly ChartFile[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const read = files.map(async (file) => ({
    path: path.relative(folder, file).split(path.sep).join('/'),
    data: new Uint8Array(await readFile(file)),
  }));
  return (await Promise.all(read)).sort(byPath);
};

/**
 * Writes the chart's folder, in place of one that was written before.
 * @param parent folder that gets the folder `nvidia-aicr`; made when it is not there
 * @returns path of the chart's folder
 * @throws Error when something else than this chart is there
 */
export const writeFolder = async (files: readonly ChartFile[], parent: string): Promise<string> => {
  const folder = path.join(parent, CHART_NAME);
  if (existsSync(folder)) {
    const chart = await readFile(path.join(folder, 'Chart.yaml')).catch(() => undefined);
    if (chart?.includes(`name: ${CHART_NAME}\n`) !== true) {
      throw new Error(`${folder} is there and is not this chart; remove it or choose another --out`);
    }
    await rm(folder, { recursive: true });
  }
  for (const file of files) {
    const target = path.join(folder, file.path);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, file.data);
  }
  return folder;
};
