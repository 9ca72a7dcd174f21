import { lstat, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { COLD_BUILD, openProgram, type Program } from './program.ts';

const PACKS = fileURLToPath(new URL('../../packs/', import.meta.url));
const packs = await readdir(PACKS);

/** What the files of a pack are, by where they lie. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/^registry\.yaml$/, 'ComponentRegistry'],
  [/^overlays\/.+\.yaml$/, 'RecipeMetadata'],
];

describe('the packs that are there to be copied', () => {
  test('are there', () => {
    expect(packs).toContain('k0s-h200-training');
  });

  test.each(packs)(
    '%s has the files of a pack, with the headers that the pinned aicr reads',
    async (name) => {
      const folder = path.join(PACKS, name);
      const found = await readdir(folder, { recursive: true, withFileTypes: true });
      const files = found.filter((entry) => !entry.isDirectory());
      const names = files.map((file) => path.relative(folder, path.join(file.parentPath, file.name)));
      expect(names).toContain('registry.yaml');
      for (const file of names) {
        expect((await lstat(path.join(folder, file))).isSymbolicLink()).toBe(false);
        const document = parse(await readFile(path.join(folder, file), 'utf8'));
        const kind = KINDS.find(([where]) => where.test(file))?.[1];
        expect([file, document.apiVersion, document.kind]).toEqual([file, 'aicr.run/v1beta1', kind]);
        if (kind === 'RecipeMetadata') expect(`overlays/${document.metadata.name}.yaml`).toBe(file);
      }
    },
  );
});

describe('packs/k0s-h200-training', () => {
  let aicr: Program;
  beforeAll(async () => {
    aicr = await openProgram('v1.2.0');
  }, COLD_BUILD);
  afterAll(() => aicr.remove());

  const pack = path.join(PACKS, 'k0s-h200-training');
  const criteria = ['--service', 'k0s', '--accelerator', 'h200', '--intent', 'training'];

  test('is the recipe of its criteria, which upstream has none for', async () => {
    const without = await aicr.run(['recipe', ...criteria]);
    expect([without.exitCode, without.stderr]).toEqual([2, expect.stringContaining('specify os')]);
    const outcome = await aicr.run(['recipe', '--data', pack, ...criteria]);
    expect(outcome.exitCode, outcome.stderr).toBe(0);
    const recipe = parse(outcome.stdout);
    expect(recipe.metadata.appliedOverlays.slice(-3)).toEqual(['k0s', 'k0s-training', 'k0s-h200-training']);
    const constraints = recipe.constraints.map((one: { name: string; value: string }) => [
      one.name,
      one.value,
    ]);
    expect(Object.fromEntries(constraints)).toMatchObject({
      'K8s.server.version': '>= 1.34',
      'OS.release.ID': 'ubuntu',
      'OS.release.VERSION_ID': '24.04',
    });
    const overrides = Object.fromEntries(
      recipe.componentRefs.map((one: { name: string; overrides: unknown }) => [one.name, one.overrides]),
    );
    expect(overrides['gpu-operator']).toMatchObject({
      driver: { enabled: false },
      migManager: { enabled: false },
      // Upstream's, which this pack must not lose.
      toolkit: { env: [{ name: 'CONTAINERD_SOCKET', value: '/run/k0s/containerd.sock' }] },
    });
    expect(overrides['nvidia-dra-driver-gpu']).toMatchObject({ nvidiaDriverRoot: '/' });
    expect(overrides['nvsentinel']).toMatchObject({
      labeler: { assumeDriverInstalled: true },
      janitor: { config: { controllers: { gpuReset: { resetJob: { hostDriverRootPath: '/' } } } } },
    });
  });

  test('makes a bundle with these facts and none of the flags', async () => {
    const recipe = await aicr.run(['recipe', '--data', pack, ...criteria, '-o', 'recipe.yaml']);
    expect(recipe.exitCode).toBe(0);
    const bundle = await aicr.run(['bundle', '-r', 'recipe.yaml', '--data', pack, '-o', 'bundle']);
    expect(bundle.exitCode, bundle.stderr).toBe(0);
    const folders = await readdir(path.join(aicr.dir, 'bundle'));
    const folder = folders.find((name) => name.endsWith('-gpu-operator')) ?? '';
    const values = parse(await readFile(path.join(aicr.dir, 'bundle', folder, 'values.yaml'), 'utf8'));
    expect(values).toMatchObject({ driver: { enabled: false }, migManager: { enabled: false } });
    expect((await aicr.run(['verify', 'bundle'])).exitCode).toBe(0);
  });
});
