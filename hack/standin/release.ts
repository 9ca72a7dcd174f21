/**
 * Release folders of aicr for tests: of the stand-in in ./aicr, or of a real one.
 *
 * AICR_RELEASE_DIR=<folder with aicr_<V>_linux_<arch>.tar.gz and aicr_checksums.txt> makes `releaseFolder` hand
 * out that release instead of the stand-in's; its version is read from the archives' names. Nothing else is
 * switched by it: scenarios are triggered by data packs, which both programs read.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createGunzip, gzipSync } from 'node:zlib';
import { execa } from 'execa';
import tar from 'tar-stream';

export type Arch = 'amd64' | 'arm64';

/** A folder that holds the assets of one aicr release, named and laid out as upstream's. */
export interface Release {
  readonly dir: string;
  /** Release tag, with its v. */
  readonly version: string;
  /** CPU kinds an archive is there for. */
  readonly archs: readonly Arch[];
  /** False when AICR_RELEASE_DIR gave a real one. */
  readonly standIn: boolean;
}

/** Tag of the stand-in's release where a test does not ask for another; the tag that the chart pins. */
export const DEFAULT_VERSION = 'v1.2.0';

/** Asset that holds the SHA-256 of the others. */
export const CHECKSUMS_FILE = 'aicr_checksums.txt';

const ARCHS: readonly Arch[] = ['amd64', 'arm64'];
const SOURCES = fileURLToPath(new URL('./aicr', import.meta.url));

/**
 * Asset name of the archive for one CPU kind.
 * @param version release tag, with its v
 */
export const archiveName = (version: string, arch: Arch): string =>
  `aicr_${bare(version)}_linux_${arch}.tar.gz`;

/**
 * Builds the stand-in (once per state of its sources and version) and writes a release's assets.
 * @param options.version tag of the release, `v1.2.0`
 * @param options.dir folder to write into; made when it is not there
 * @throws when the version is not a tag, or `go build` fails (its output is in the error)
 */
export async function buildRelease(options: { version: string; dir: string }): Promise<Release> {
  const { version, dir } = options;
  if (!/^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version)) {
    throw new Error(`${version} is not a release tag of aicr; write it as v1.2.0`);
  }
  await mkdir(dir, { recursive: true });
  const assets: [string, Buffer][] = [];
  for (const arch of ARCHS) {
    const archive = archiveName(version, arch);
    assets.push([archive, await packArchive(await buildBinary(version, arch), version)]);
    // Upstream lists SBOMs in the same checksums file, under names that begin like the archive's.
    assets.push([archive.replace(/\.tar\.gz$/, '.sbom.json'), sbom(version, arch)]);
  }
  const lines: string[] = [];
  for (const [name, content] of assets) {
    await writeFile(path.join(dir, name), content);
    lines.push(`${createHash('sha256').update(content).digest('hex')}  ${name}\n`);
  }
  await writeFile(path.join(dir, CHECKSUMS_FILE), lines.join(''));
  return { dir, version, archs: ARCHS, standIn: true };
}

/**
 * The release that end-to-end scenarios install: AICR_RELEASE_DIR's when the environment has it, else the
 * stand-in's.
 * @param options.dir folder for the stand-in's assets; not touched when AICR_RELEASE_DIR is set
 * @param options.version tag of the stand-in's release, DEFAULT_VERSION by default
 * @throws when AICR_RELEASE_DIR is no release folder: no archive, two versions, no checksums file
 */
export async function releaseFolder(options: { dir: string; version?: string }): Promise<Release> {
  const real = process.env['AICR_RELEASE_DIR'];
  if (real === undefined || real === '') {
    return buildRelease({ version: options.version ?? DEFAULT_VERSION, dir: options.dir });
  }
  const found = (await readdir(real)).flatMap((name) => {
    const match = /^aicr_(.+)_linux_(amd64|arm64)\.tar\.gz$/.exec(name);
    return match === null ? [] : [{ version: `v${match[1]}`, arch: match[2] as Arch }];
  });
  const versions = [...new Set(found.map((entry) => entry.version))];
  const [version] = versions;
  if (version === undefined || versions.length > 1) {
    throw new Error(
      `AICR_RELEASE_DIR=${real} must hold the aicr_<V>_linux_<arch>.tar.gz of one version; it holds ${versions.join(', ') || 'none'}`,
    );
  }
  await access(path.join(real, CHECKSUMS_FILE));
  return { dir: path.resolve(real), version, archs: found.map((entry) => entry.arch), standIn: false };
}

/**
 * Unpacks the `aicr` of a release.
 * @param into folder to put it in; made when it is not there
 * @returns path of the executable
 */
export async function releaseBinary(
  release: Release,
  into: string,
  arch: Arch = hostArch(),
): Promise<string> {
  await mkdir(into, { recursive: true });
  const target = path.join(into, 'aicr');
  const extract = tar.extract();
  const read = pipeline(
    createReadStream(path.join(release.dir, archiveName(release.version, arch))),
    createGunzip(),
    extract,
  );
  for await (const entry of extract) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    if (entry.header.name === 'aicr') await writeFile(target, Buffer.concat(chunks), { mode: 0o755 });
  }
  await read;
  await access(target);
  return target;
}

/** CPU kind of this machine in Go's words. */
export const hostArch = (): Arch => (process.arch === 'arm64' ? 'arm64' : 'amd64');

const bare = (version: string): string => version.replace(/^v/, '');

async function buildBinary(version: string, arch: Arch): Promise<string> {
  const cache = path.join(
    process.env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache'),
    'nvidia-aicr-chart',
  );
  const folder = path.join(cache, 'standin', await hashSources(), version);
  const binary = path.join(folder, `aicr-linux-${arch}`);
  if (await exists(binary)) return binary;
  await mkdir(folder, { recursive: true });
  return alone(`${binary}.lock`, async () => {
    if (await exists(binary)) return binary;
    // Not stamped with the state of this repository: `go build` would ask git, which refuses foreign checkouts.
    const flags = ['-trimpath', '-buildvcs=false', '-ldflags', `-s -w -X main.version=${bare(version)}`];
    await execa('go', ['build', ...flags, '-o', `${binary}.draft`, '.'], {
      cwd: SOURCES,
      env: { CGO_ENABLED: '0', GOOS: 'linux', GOARCH: arch, GOFLAGS: '' },
    });
    await rename(`${binary}.draft`, binary);
    return binary;
  });
}

/** Several test files ask for the same build at once; the second one waits for the first, whose result it takes. */
async function alone<Result>(lock: string, work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      await writeFile(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const owner = Number(await readFile(lock, 'utf8').catch(() => '0'));
    if (owner > 0 && !isAlive(owner)) await rm(lock, { force: true });
    else await delay(200);
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function hashSources(): Promise<string> {
  const hash = createHash('sha256');
  const names = (await readdir(SOURCES, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
  for (const name of names)
    hash
      .update(path.relative(SOURCES, name))
      .update('\0')
      .update(await readFile(name));
  return hash.digest('hex').slice(0, 16);
}

/** Upstream's archive is flat: the program, its attestation and the catalogue's signature. */
async function packArchive(binary: string, version: string): Promise<Buffer> {
  const unsigned = Buffer.from(`${JSON.stringify({ note: `stand-in ${version}, signed by nobody` })}\n`);
  const pack = tar.pack();
  const mtime = new Date(0);
  pack.entry({ name: 'aicr', mode: 0o755, mtime }, await readFile(binary));
  pack.entry({ name: 'aicr-attestation.sigstore.json', mode: 0o644, mtime }, unsigned);
  pack.entry({ name: 'recipe-catalog.sigstore.json', mode: 0o644, mtime }, unsigned);
  pack.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of pack) chunks.push(chunk as Buffer);
  return gzipSync(Buffer.concat(chunks));
}

const sbom = (version: string, arch: Arch): Buffer =>
  Buffer.from(
    `${JSON.stringify({ spdxVersion: 'SPDX-2.3', name: `aicr ${version} linux/${arch}`, packages: [] })}\n`,
  );

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
