/** Bundles of the stand-in, or of a real aicr, read as the runner reads them. */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readBundle } from '../../src/runner/steps/releases/bundle.ts';
import { COLD_BUILD, openProgram, type Program, REAL } from '../standin/program.ts';

const MINUTE = 60_000;

/** What the recipe is for. */
const STOCK = ['--service', 'eks', '--accelerator', 'h100', '--intent', 'training', '--os', 'ubuntu'];

describe.runIf(!REAL).each([
  ['v0.21.0', false],
  ['v1.2.0', true],
])('the bundle of aicr %s', (version, hasInfo) => {
  let aicr: Program;
  beforeAll(async () => {
    aicr = await openProgram(version);
  }, COLD_BUILD);
  afterAll(() => aicr.remove());

  const bundle = async (name: string): Promise<string> => {
    await aicr.run(['recipe', ...STOCK, '-o', `${name}.yaml`]);
    const outcome = await aicr.run(['bundle', '-r', `${name}.yaml`, '-o', name]);
    expect(outcome.exitCode, outcome.stderr).toBe(0);
    return join(aicr.dir, name);
  };

  test('is read in the order of deployment, with the component of each release', async () => {
    const dir = await bundle('stock');
    expect(existsSync(join(dir, 'bundle-info.yaml'))).toBe(hasInfo);
    const releases = await readBundle(dir);
    const names = releases.map(({ name }) => name);
    expect(names.indexOf('cert-manager')).toBeGreaterThanOrEqual(0);
    expect(names.indexOf('gpu-operator')).toBeGreaterThan(names.indexOf('cert-manager'));
    expect(releases.find(({ name }) => name === 'gpu-operator')).toEqual({
      name: 'gpu-operator',
      namespace: 'gpu-operator',
      component: 'gpu-operator',
      timeoutMs: 20 * MINUTE,
    });
    for (const { name, component } of releases) {
      expect(names).toContain(component);
      expect(name.startsWith(component)).toBe(true);
    }
  });

  test('is read the same without what newer versions write into it', async () => {
    const dir = await bundle('both');
    const all = await readBundle(dir);
    await rm(join(dir, 'bundle-info.yaml'), { force: true });
    expect(await readBundle(dir)).toEqual(all);
  });
});
