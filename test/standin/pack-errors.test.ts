import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COLD_BUILD, failureText, type Outcome, openProgram, type Program } from './program.ts';

let aicr: Program;
beforeAll(async () => {
  aicr = await openProgram();
}, COLD_BUILD);
afterAll(() => aicr.remove());

const resolve = (pack: string, file = 'recipe.yaml'): Promise<Outcome> =>
  aicr.run([
    'recipe',
    '--data',
    pack,
    '--service',
    'acme',
    '--accelerator',
    'h200',
    '--intent',
    'training',
    '-o',
    file,
  ]);

async function edit(file: string, change: (text: string) => string): Promise<void> {
  await writeFile(file, change(await readFile(file, 'utf8')));
}

test('a folder that is not there', async () => {
  const outcome = await resolve('nowhere');
  expect(outcome.exitCode).toBe(2);
  expect(failureText(outcome)).toContain('[NOT_FOUND] external data directory not found: nowhere');
});

test('a folder without registry.yaml', async () => {
  await mkdir(path.join(aicr.dir, 'empty'));
  const outcome = await resolve('empty');
  expect(outcome.exitCode).toBe(2);
  expect(failureText(outcome)).toContain('registry.yaml is required in external data directory: empty');
});

test('a symbolic link, as every mounted ConfigMap has', async () => {
  const pack = await aicr.pack('acme');
  await symlink('registry.yaml', path.join(pack, 'linked.yaml'));
  const outcome = await resolve(pack);
  expect(outcome.exitCode).toBe(2);
  expect(failureText(outcome)).toContain('symlinks not allowed: linked.yaml');
});

test('a registry that is not YAML', async () => {
  const pack = await aicr.pack('acme-slow');
  await writeFile(path.join(pack, 'registry.yaml'), '{nope');
  const outcome = await resolve(pack);
  expect(outcome.exitCode).toBe(8);
  expect(failureText(outcome)).toContain('failed to parse external registry.yaml');
});

test('an overlay with a base that nobody has', async () => {
  const pack = await aicr.pack('acme-failing');
  await edit(path.join(pack, 'overlays', 'acme-h200-training.yaml'), (text) =>
    text.replace('base: base', 'base: nosuch'),
  );
  const outcome = await resolve(pack);
  expect(outcome.exitCode).toBe(3);
  expect(failureText(outcome)).toContain('recipe "nosuch" not found (referenced in inheritance chain)');
});

test('a manifest that is not in the pack is missed by bundle, not by recipe', async () => {
  const pack = await aicr.pack('acme-noisy');
  await edit(path.join(pack, 'overlays', 'acme-h200-training.yaml'), (text) =>
    text.replace('probe.yaml', 'nosuch.yaml'),
  );
  expect((await resolve(pack, 'missing.yaml')).exitCode).toBe(0);
  const outcome = await aicr.run(['bundle', '-r', 'missing.yaml', '--data', pack, '-o', 'missing']);
  expect(outcome.exitCode).toBe(2);
  expect(failureText(outcome)).toContain(
    'manifest "components/acme-probe/manifests/nosuch.yaml" (referenced by component "acme-probe") not found',
  );
});

test('v1.0.0 and later refuse a pack with the headers of before', async () => {
  const pack = await aicr.pack('acme-deferral');
  await edit(path.join(pack, 'registry.yaml'), (text) =>
    text.replace(/^apiVersion: .*$/m, 'apiVersion: aicr.run/v1alpha2'),
  );
  const outcome = await resolve(pack);
  const major = Number(/^v(\d+)/.exec(aicr.release.version)?.[1]);
  expect(outcome.exitCode).toBe(major < 1 ? 0 : 2);
});
