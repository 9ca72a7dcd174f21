import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Mirror } from '../../hack/cluster/index.ts';
import { pin } from '../../hack/release/pin.ts';
import { applyPins } from '../../hack/release/pins.ts';
import { defaultsOf, readModel, type ValuesSchema } from '../../src/schema/index.ts';
import { scratchFolder } from '../render/chart.ts';
import { putIndex, type Registries, startRegistries } from './registries.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const original = readFileSync(path.join(root, 'values.schema.json'), 'utf8');
const AMD64 = 'a'.repeat(64);
const ARM64 = 'b'.repeat(64);
const line = (arch: string, hash: string): string => `${hash}  aicr_1.3.0_linux_${arch}.tar.gz\n`;
const CHECKSUMS = `${line('amd64', AMD64)}${'c'.repeat(64)}  aicr_1.3.0_darwin_arm64.tar.gz\n${line('arm64', ARM64)}`;

let registries: Registries;
let mirror: Mirror;
let folder: string;
let schema: string;
beforeAll(async () => {
  registries = await startRegistries();
  folder = scratchFolder('mirror');
  mirror = await Mirror.start(folder, '127.0.0.1');
  mkdirSync(path.join(folder, 'v1.3.0'));
});
afterAll(async () => {
  await mirror?.stop();
  registries?.stop();
});

/** The schema with every image in the local registry. */
beforeEach(() => {
  mirror.reset();
  writeFileSync(path.join(folder, 'v1.3.0', 'aicr_checksums.txt'), CHECKSUMS);
  schema = path.join(scratchFolder('schema'), 'values.schema.json');
  const local = original
    .replace('"alpine/k8s:', `"${registries.open.host}/alpine/k8s:`)
    .replace('"docker.io/library/', `"${registries.open.host}/library/`)
    .replace('"ghcr.io/oras-project/', `"${registries.open.host}/oras-project/`);
  writeFileSync(schema, local);
});

/** Pins as the command does: what it prints, and its exit code. */
const run = async (
  ...args: readonly string[]
): Promise<{ exitCode: number; stdout: string; stderr: string }> =>
  await pin(['--schema', schema, ...args]).then(
    (stdout) => ({ exitCode: 0, stdout, stderr: '' }),
    (error: Error) => ({ exitCode: 1, stdout: '', stderr: error.message }),
  );
const read = (): string => readFileSync(schema, 'utf8');
const defaults = () => defaultsOf(readModel(JSON.parse(read()) as ValuesSchema));

test('release, both hashes and every image move together, and the difference is shown', async () => {
  const { open } = registries;
  const k8s = await putIndex(open, 'alpine/k8s', '1.34.0');
  const node = await putIndex(open, 'library/node', '26-slim');
  const oras = await putIndex(open, 'oras-project/oras', 'v1.2.0');
  const before = read();
  const image = `nodeImage=${open.host}/library/node:26-slim`;
  const { exitCode, stdout, stderr } = await run(
    '--aicr',
    '1.3.0',
    '--base-url',
    mirror.url,
    '--image',
    image,
  );
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(defaults()).toMatchObject({
    aicrVersion: 'v1.3.0',
    aicrSha256: { amd64: AMD64, arm64: ARM64 },
    runtimeImage: `${open.host}/alpine/k8s:1.34.0@${k8s}`,
    nodeImage: `${open.host}/library/node:26-slim@${node}`,
    orasImage: `${open.host}/oras-project/oras:v1.2.0@${oras}`,
  });
  const added = stdout.split('\n').filter((one) => /^\+[^+]/.test(one));
  expect(added).toHaveLength(5);
  for (const pinned of ['v1.3.0', AMD64, ARM64, k8s, node, oras]) expect(added.join('\n')).toContain(pinned);
  expect(stdout).toContain('npm run generate');
  // Nothing else has moved, not even a blank.
  const changed = (text: string): readonly string[] =>
    text.split('\n').filter((one) => !one.includes('"default":'));
  expect(changed(read())).toEqual(changed(before));
});

test('the command itself prints the difference, or why there is none', async () => {
  const tsx = path.join(root, 'node_modules', '.bin', 'tsx');
  const command = async (version: string) =>
    await execa(
      tsx,
      [
        'hack/release/pin.ts',
        '--schema',
        schema,
        '--aicr',
        version,
        '--base-url',
        mirror.url,
        '--keep-images',
      ],
      { cwd: root, reject: false, stdin: 'ignore' },
    );
  const before = read();
  const refused = await command('1.3.1');
  expect([refused.exitCode, refused.stdout, read()]).toEqual([1, '', before]);
  expect(refused.stderr).toMatch(/HTTP 404.*\nNothing was written\.$/);
  const pinned = await command('1.3.0');
  expect([pinned.exitCode, pinned.stderr]).toEqual([0, '']);
  expect(pinned.stdout).toContain(ARM64);
});

test('a dry run shows the same difference and writes nothing', async () => {
  const before = read();
  const { exitCode, stdout } = await run(
    '--aicr',
    'v1.3.0',
    '--base-url',
    mirror.url,
    '--keep-images',
    '--dry-run',
  );
  expect([exitCode, read()]).toEqual([0, before]);
  expect(stdout).toContain(AMD64);
  expect(stdout).not.toContain('Written');
});

test('hashes come from a file as well, and then no server is asked', async () => {
  const file = path.join(folder, 'checksums.txt');
  writeFileSync(file, CHECKSUMS);
  const { exitCode } = await run('--aicr', 'v1.3.0', '--checksums', file, '--keep-images');
  expect(exitCode).toBe(0);
  expect(defaults()).toMatchObject({ aicrVersion: 'v1.3.0', aicrSha256: { amd64: AMD64, arm64: ARM64 } });
  expect(mirror.requests).toEqual([]);
  const again = await run('--aicr', 'v1.3.0', '--checksums', file, '--keep-images');
  expect([again.exitCode, again.stdout]).toEqual([0, 'Nothing changes.']);
});

test.each([
  ['one line is missing', line('amd64', AMD64), 'has no entry for aicr_1.3.0_linux_arm64.tar.gz'],
  [
    'a hash is cut',
    line('amd64', AMD64) + line('arm64', ARM64.slice(1)),
    'malformed entry for aicr_1.3.0_linux_arm64',
  ],
  ['a line is there twice', CHECKSUMS + line('amd64', ARM64), 'has 2 entries for aicr_1.3.0_linux_amd64'],
  ['it is empty', '', 'is empty'],
  ['it is a page', '<html>Sign in</html>', 'it looks like a web page'],
])('nothing moves when, in the checksums file, %s', async (_what, text, message) => {
  writeFileSync(path.join(folder, 'v1.3.0', 'aicr_checksums.txt'), text);
  const before = read();
  const { exitCode, stderr } = await run('--aicr', '1.3.0', '--base-url', mirror.url, '--keep-images');
  expect([exitCode, read()]).toEqual([1, before]);
  expect(stderr).toContain(message);
});

test('nothing moves when there is no such release', async () => {
  const before = read();
  const { exitCode, stderr } = await run('--aicr', '1.3.1', '--base-url', mirror.url, '--keep-images');
  expect([exitCode, read()]).toEqual([1, before]);
  expect(stderr).toContain(`${mirror.url}/v1.3.1/aicr_checksums.txt: HTTP 404`);
});

test('nothing moves when an image is not there, or not for both CPU kinds', async () => {
  const before = read();
  const { open } = registries;
  const image = async (reference: string) =>
    await run('--aicr', '1.3.0', '--base-url', mirror.url, '--image', `runtimeImage=${reference}`);
  const missing = await image(`${open.host}/alpine/k8s:gone`);
  expect(missing.stderr).toContain(`runtimeImage: ${open.host}/alpine/k8s:gone is not in its registry`);
  await putIndex(open, 'alpine/k8s', 'half', ['amd64']);
  const half = await image(`${open.host}/alpine/k8s:half`);
  expect(half.stderr).toContain(`runtimeImage: ${open.host}/alpine/k8s:half has no image for linux/arm64`);
  const untagged = await image(`${open.host}/alpine/k8s`);
  expect(untagged.stderr).toContain('has no tag; write runtimeImage=');
  const refused = await image(`${registries.guarded.host}/alpine/k8s:1`);
  expect(refused.stderr).toMatch(/the registry could not be asked: .*(unauthorized|401|credential)/is);
  for (const { exitCode } of [missing, half, untagged, refused]) expect(exitCode).toBe(1);
  expect(read()).toBe(before);
});

test.each([
  [[], '--aicr VERSION is missing'],
  [['--aicr', 'latest'], 'is no version'],
  [['--aicr', '1.3.0', '--image', 'sidecarImage=a:1'], 'write one of runtimeImage, nodeImage, orasImage'],
  [['--aicr', '1.3.0', '--image', 'nodeImage'], 'write one of runtimeImage, nodeImage, orasImage'],
])('%j is refused', async (args, message) => {
  const { exitCode, stderr } = await run('--base-url', mirror.url, ...args);
  expect(exitCode).toBe(1);
  expect(stderr).toContain(message);
});

test('a default that stands elsewhere than it should is not touched', () => {
  const pins = { aicrVersion: 'v1.3.0', aicrSha256: { amd64: AMD64, arm64: ARM64 }, images: {} };
  const twice = original.replace(
    '"aicrVersion": {',
    '"aicrVersion": {\n      "other": { "default": "v1.2.0" },',
  );
  expect(() => applyPins(original, pins)).not.toThrow();
  expect(() => applyPins(twice, pins)).toThrow(/aicrVersion has its default where this script did not look/);
  const missing = { ...pins, images: { sidecarImage: 'a:1@sha256:b' } };
  expect(() => applyPins(original, missing)).toThrow(
    'the default of sidecarImage was found 0 times, not once',
  );
});
