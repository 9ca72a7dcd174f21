import { execa } from 'execa';
import { toolPath } from '../cluster/index.ts';

/** Values that render without a data pack. */
const VALUES = 'accelerator=h100,service=eks,intent=training,os=ubuntu';

/**
 * Renders the chart once with either Helm, as one case of the suite does.
 * @param chart the built chart's folder
 * @returns milliseconds for both
 */
export async function renderOnce(chart: string): Promise<number> {
  const begun = performance.now();
  for (const helm of ['helm3', 'helm4'] as const) {
    await execa(toolPath(helm), ['template', 'bench', chart, '--set', VALUES]);
  }
  return performance.now() - begun;
}

/**
 * Runs tests of the render suite as somebody who edits a template does.
 * @param files test files; all of the suite when there is none
 * @returns milliseconds from the start of vitest to its end
 * @throws when a test fails
 */
export async function runRenderTests(...files: string[]): Promise<number> {
  const begun = performance.now();
  await execa('vitest', ['run', '--project', 'render', ...files], { preferLocal: true });
  return performance.now() - begun;
}
