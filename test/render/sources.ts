import { mkdtempSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ChartSources, readFolder } from '../../src/chart/index.ts';
import type { ValuesSchema } from '../../src/schema/index.ts';

const root = new URL('../../', import.meta.url);

/** A folder of the test's own, removed with the suite's temporary folder (test/scratch-setup.ts). */
export const scratchFolder = (name: string): string =>
  mkdtempSync(path.join(tmpdir(), `nvidia-aicr-${name}-`));

/** The chart of the tests does not change with each line of the real changelog. */
export const CHANGELOG = '# Changelog\n\n## [Unreleased]\n\n### Fixed\n\n- A fault.\n';

/** What the chart is made of in the tests: the real schema and templates, and a program of a few bytes. */
export const chartSources = async (changes: Partial<ChartSources> = {}): Promise<ChartSources> => ({
  version: '0.3.0',
  license: 'Apache-2.0',
  repository: '',
  changelog: CHANGELOG,
  schema: JSON.parse(await readFile(new URL('values.schema.json', root), 'utf8')) as ValuesSchema,
  templates: await readFolder(new URL('chart-templates', root).pathname),
  // Bytes that are no UTF-8: what must come through binaryData unharmed.
  runner: { program: new Uint8Array([0xff, 0xfe, 0, 0x1b, 0x80]), handover: "console.log('hello');\n" },
  ...changes,
});
