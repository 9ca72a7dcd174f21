import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  archiveName,
  buildRelease,
  packFolder,
  packHeaders,
  pushPack,
  releaseFolder,
} from '../../hack/standin/index.ts';
import { orasPath, type Registries, startRegistries } from '../steps/registries.ts';
import { COLD_BUILD } from './program.ts';

let dir: string;
let registries: Registries;
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'standin-release-'));
  registries = await startRegistries();
});
afterEach(() => vi.unstubAllEnvs());
afterAll(async () => {
  registries.stop();
  await rm(dir, { recursive: true, force: true });
});

describe('buildRelease', () => {
  test(
    'writes upstream’s assets, each in the checksums file',
    async () => {
      const folder = path.join(dir, 'assets');
      const release = await buildRelease({ version: 'v1.3.0-rc1', dir: folder });
      expect(release).toMatchObject({ version: 'v1.3.0-rc1', archs: ['amd64', 'arm64'], standIn: true });
      const lines = (await readFile(path.join(folder, 'aicr_checksums.txt'), 'utf8')).trimEnd().split('\n');
      expect(lines).toHaveLength(4);
      for (const line of lines) {
        const [hash, name = ''] = line.split('  ');
        expect(
          createHash('sha256')
            .update(await readFile(path.join(folder, name)))
            .digest('hex'),
        ).toBe(hash);
      }
      const archive = path.join(folder, archiveName('v1.3.0-rc1', 'arm64'));
      const { stdout } = await execa('tar', ['--list', '--verbose', '--file', archive]);
      expect(stdout.split('\n').map((line) => line.split(/\s+/).at(-1))).toEqual([
        'aicr',
        'aicr-attestation.sigstore.json',
        'recipe-catalog.sigstore.json',
      ]);
      expect(stdout).toMatch(/^-rwxr-xr-x/);
    },
    COLD_BUILD,
  );

  test('wants a tag', async () => {
    await expect(buildRelease({ version: '1.2.0', dir })).rejects.toThrow('write it as v1.2.0');
  });
});

describe('releaseFolder with AICR_RELEASE_DIR', () => {
  async function folder(name: string, ...files: string[]): Promise<string> {
    const target = path.join(dir, name);
    await mkdir(target);
    for (const file of files) await writeFile(path.join(target, file), '');
    vi.stubEnv('AICR_RELEASE_DIR', target);
    return target;
  }

  test('takes the version from the archives', async () => {
    const target = await folder('one', 'aicr_0.20.0_linux_amd64.tar.gz', 'aicr_checksums.txt');
    expect(await releaseFolder({ dir })).toEqual({
      dir: target,
      version: 'v0.20.0',
      archs: ['amd64'],
      standIn: false,
    });
  });

  test('refuses a folder of two versions, of none, and one without checksums', async () => {
    await folder(
      'two',
      'aicr_0.20.0_linux_amd64.tar.gz',
      'aicr_1.2.0_linux_amd64.tar.gz',
      'aicr_checksums.txt',
    );
    await expect(releaseFolder({ dir })).rejects.toThrow('it holds v0.20.0, v1.2.0');
    await folder('none', 'aicr_checksums.txt');
    await expect(releaseFolder({ dir })).rejects.toThrow('it holds none');
    await folder('unsummed', 'aicr_0.20.0_linux_amd64.tar.gz');
    await expect(releaseFolder({ dir })).rejects.toThrow('aicr_checksums.txt');
  });
});

describe('packs', () => {
  test('carry the headers that a version reads, and leave manifests alone', async () => {
    expect(['v0.20.0', 'v0.21.0', 'v1.0.0'].map(packHeaders)).toEqual([
      'aicr.run/v1alpha2',
      'aicr.run/v1beta1',
      'aicr.run/v1beta1',
    ]);
    const into = path.join(dir, 'old-pack');
    expect(await packFolder('acme', { headers: 'aicr.run/v1alpha2', into })).toBe(into);
    const read = (...parts: string[]): Promise<string> => readFile(path.join(into, ...parts), 'utf8');
    expect(await read('registry.yaml')).toMatch(/^apiVersion: aicr.run\/v1alpha2$/m);
    expect(await read('components', 'acme-agent', 'manifests', 'settings.yaml')).toMatch(/^apiVersion: v1$/m);
  });

  test('come out of a registry with a login as they went in', async () => {
    const folder = await packFolder('acme', { headers: 'aicr.run/v1beta1', into: path.join(dir, 'pack') });
    const { host, login } = registries.guarded;
    const ref = `${host}/acme/pack:1.0.0`;
    const auth = { username: login?.user ?? '', password: login?.password ?? '' };
    const push = { ref, folder, oras: orasPath(), plainHTTP: true };
    await expect(pushPack(push)).rejects.toThrow();
    expect(await pushPack({ ...push, auth })).toMatch(/^sha256:[0-9a-f]{64}$/);
    const pulled = path.join(dir, 'pulled');
    await mkdir(pulled);
    const flags = ['--plain-http', '--username', auth.username, '--password', auth.password];
    await execa(orasPath(), ['pull', ref, ...flags], { cwd: pulled });
    expect((await readdir(pulled, { recursive: true })).sort()).toEqual(
      (await readdir(folder, { recursive: true })).sort(),
    );
  });
});
