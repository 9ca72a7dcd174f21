import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * Builds the nvidia-aicr-chart command and, with it, the chart, as a user does.
 * @param into an existing folder
 * @returns the chart's folder in it
 */
export async function buildChart(into: string): Promise<string> {
  const here = { cwd: ROOT, localDir: ROOT, preferLocal: true, stdin: 'ignore' } as const;
  await execa({ ...here, stdout: 'ignore', stderr: 'inherit' })`tsx hack/build.ts`;
  const { stdout } = await execa(here)`node dist/cli.mjs build --out ${into}`;
  return stdout.trim();
}
