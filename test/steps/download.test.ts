import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Mirror } from '../../hack/cluster/index.ts';
import { RunError } from '../../src/contract/index.ts';
import type { DownloadStep } from '../../src/runner/planned.ts';
import { runStep } from '../../src/runner/steps/index.ts';
import { ARCHIVE, aicrScript, archiveOf, layOut, sha256 } from './archives.ts';
import { type TestContext, temporaryFolder, testContext } from './context.ts';
import { mayMount, withFileSystem } from './small-disk.ts';

const ARCHIVE_PATH = `/v1.2.0/${ARCHIVE}`;
const CHECKSUMS_PATH = '/v1.2.0/aicr_checksums.txt';

let root: string;
let work: string;
let mark: string;
let archive: Buffer;
let mirror: Mirror;
let test: TestContext;

beforeEach(async () => {
  root = temporaryFolder();
  work = temporaryFolder();
  mark = join(work, 'started');
  archive = await archiveOf([
    { name: 'aicr', content: aicrScript('1.2.0', mark) },
    { name: 'aicr-attestation.sigstore.json', content: '{"attests": true}' },
    { name: 'recipe-catalog.sigstore.json', content: '{"catalog": true}' },
  ]);
  layOut(root, archive);
  mirror = await Mirror.start(root, '127.0.0.1');
  test = testContext();
});
afterEach(() => mirror.stop());

const step = (change: Partial<DownloadStep> = {}): DownloadStep => ({
  name: 'download',
  does: 'download aicr',
  version: 'v1.2.0',
  arch: 'amd64',
  archiveName: ARCHIVE,
  archiveUrl: `${mirror.url}${ARCHIVE_PATH}`,
  checksumsUrl: `${mirror.url}${CHECKSUMS_PATH}`,
  pin: '',
  binary: join(work, 'aicr', 'aicr'),
  ...change,
});

const download = (change?: Partial<DownloadStep>) => runStep(step(change), test.context);

/** The RunError that the download ends with; nothing of a failed download may have been started or kept. */
async function failure(change?: Partial<DownloadStep>): Promise<RunError> {
  const error = await download(change).then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof RunError)) throw error;
  expect(existsSync(mark)).toBe(false);
  const kept = existsSync(join(work, 'aicr')) ? readdirSync(join(work, 'aicr')) : [];
  expect(kept).toEqual([]);
  return error;
}

const requests = (path: string): number => mirror.requests.filter((request) => request.path === path).length;

describe('a good release', () => {
  it('ends with an executable aicr, its attestations beside it, and nothing else', async () => {
    const { message } = await download();
    expect(message).toContain('aicr version 1.2.0');
    expect(readdirSync(join(work, 'aicr')).sort()).toEqual([
      'aicr',
      'aicr-attestation.sigstore.json',
      'recipe-catalog.sigstore.json',
    ]);
    expect(statSync(join(work, 'aicr', 'aicr')).mode & 0o777).toBe(0o755);
    expect(readFileSync(join(work, 'aicr', 'aicr-attestation.sigstore.json'), 'utf8')).toBe(
      '{"attests": true}',
    );
    expect(test.recorded.facts.aicr).toEqual({
      version: 'v1.2.0',
      arch: 'amd64',
      sha256: sha256(archive),
      url: `${mirror.url}${ARCHIVE_PATH}`,
    });
    expect(test.recorded.warnings).toEqual([]);
  });

  it('is started once', async () => {
    await download();
    expect(readFileSync(mark, 'utf8')).toBe('started\n');
  });

  it('is taken with the pin that fits', async () => {
    const { message } = await download({ pin: sha256(archive) });
    expect(message).toContain('aicrSha256 pins');
  });

  it('may hold other plain files; they are left in the archive', async () => {
    layOut(
      root,
      await archiveOf([
        { name: './', type: 'directory' },
        { name: './README.md', content: 'hello' },
        { name: './aicr', content: aicrScript() },
        { name: './docs/', type: 'directory' },
        { name: './docs/more.md', content: 'more' },
      ]),
    );
    await download();
    expect(readdirSync(join(work, 'aicr'))).toEqual(['aicr']);
  });

  it('is warned of when the binary says another version', async () => {
    layOut(root, await archiveOf([{ name: 'aicr', content: aicrScript('1.1.0') }]));
    await download();
    expect(test.recorded.warnings).toEqual([expect.stringContaining('aicr version 1.1.0')]);
  });

  it('is fetched anew whatever lies at its place', async () => {
    mkdirSync(join(work, 'aicr', 'aicr'), { recursive: true });
    writeFileSync(join(work, 'aicr', ARCHIVE), archive.subarray(0, 1000));
    symlinkSync('/etc/passwd', join(work, 'aicr', `${ARCHIVE}.partial`));
    await download();
    expect(readFileSync(join(work, 'aicr', 'aicr'), 'utf8')).toBe(aicrScript('1.2.0', mark));
  });

  it('is followed through redirects', async () => {
    mirror.fail(ARCHIVE_PATH, { status: 302, headers: { location: '/elsewhere' } });
    mirror.failAlways('/elsewhere', { body: archive });
    await download();
    expect(requests('/elsewhere')).toBe(1);
  });
});

describe('a server in trouble', () => {
  it.each([408, 429, 500, 502, 503, 504])('that answers %i twice is asked again', async (status) => {
    mirror.fail(ARCHIVE_PATH, { status }, { status });
    mirror.fail(CHECKSUMS_PATH, { status });
    await download();
    expect(requests(ARCHIVE_PATH)).toBe(3);
    expect(test.recorded.retries).toHaveLength(3);
    expect(test.recorded.retries.at(-1)).toContain(`HTTP ${status}`);
  });

  it('that cuts the connection in the middle is asked again', async () => {
    mirror.fail(ARCHIVE_PATH, { cutAfter: Math.floor(archive.length / 2) }, { cutAfter: 0 });
    await download();
    expect(requests(ARCHIVE_PATH)).toBe(3);
  });

  it.each([
    ['120', 120_000],
    [new Date(Date.now() + 3 * 86_400_000).toUTCString(), 3_600_000],
    ['99999999999', 3_600_000],
    ['1', 2_000],
    ['soon', 2_000],
  ])('that asks for a pause of %s gets it, within bounds', async (pause, waited) => {
    mirror.fail(ARCHIVE_PATH, { status: 429, headers: { 'retry-after': pause } });
    await download();
    expect(test.recorded.sleeps).toEqual([waited]);
  });

  it('for good ends the step with what it answered', async () => {
    mirror.failAlways(CHECKSUMS_PATH, { status: 503 });
    const error = await failure();
    expect(error.code).toBe('DownloadFailed');
    expect(error.message).toContain(`HTTP 503 for ${mirror.url}${CHECKSUMS_PATH}`);
    expect(error.message).toContain('tried 7 times');
    expect(requests(CHECKSUMS_PATH)).toBe(7);
    expect(test.recorded.sleeps).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000]);
  });

  it('that is not there ends the step with its address', async () => {
    await mirror.stop();
    const error = await failure();
    expect(error.code).toBe('DownloadFailed');
    expect(error.message).toContain(mirror.url);
    mirror = await Mirror.start(root, '127.0.0.1');
  });

  it('whose certificate is not trusted is not asked twice', async () => {
    const [key, cert] = [join(root, 'key.pem'), join(root, 'cert.pem')];
    const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=localhost'];
    execFileSync('openssl', [...request, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) });
    const error = await failure({
      checksumsUrl: `https://127.0.0.1:${await listen(server)}${CHECKSUMS_PATH}`,
    });
    server.close();
    expect(error.code).toBe('DownloadFailed');
    expect(error.message).toContain('certificate');
    expect(test.recorded.retries).toEqual([]);
  });

  it('that speaks no TLS on an https address is not asked twice', async () => {
    const error = await failure({
      checksumsUrl: `${mirror.url.replace('http:', 'https:')}${CHECKSUMS_PATH}`,
    });
    expect(error.code).toBe('DownloadFailed');
    expect(test.recorded.retries).toEqual([]);
  });

  it('is given up at once when the run ends', async () => {
    mirror.failAlways(CHECKSUMS_PATH, { status: 503 });
    const over = new RunError('DeadlineExceeded', 'the deadline came', { hint: '' });
    const ended = download();
    test.abort(over);
    await expect(ended).rejects.toBe(over);
  });
});

describe('a release that is not there', () => {
  it.each([403, 404, 410])('(%i) is not asked for twice; URL and keys are named', async (status) => {
    mirror.failAlways(ARCHIVE_PATH, {
      status,
      headers: { 'content-type': 'text/html' },
      body: '<html>no</html>',
    });
    const error = await failure();
    expect(error.code).toBe('DownloadFailed');
    expect(error.message).toBe(`HTTP ${status} for ${mirror.url}${ARCHIVE_PATH}`);
    expect(error.hint).toContain('aicrVersion');
    expect(error.hint).toContain('aicrSource.baseUrl');
    expect(requests(ARCHIVE_PATH)).toBe(1);
  });
});

describe('verification', () => {
  it('stops without a checksums file', async () => {
    mirror.failAlways(CHECKSUMS_PATH, { status: 404 });
    const error = await failure();
    expect(error.code).toBe('ChecksumsInvalid');
    expect(error.message).toContain('HTTP 404');
    expect(requests(ARCHIVE_PATH)).toBe(0);
  });

  it('has another message for each of five reasons, and never unpacks', async () => {
    const messages: string[] = [];
    for (const checksums of [
      '',
      `${sha256(archive)}  other.tar.gz\n`,
      `${sha256(archive).slice(1)}  ${ARCHIVE}\n`,
    ]) {
      layOut(root, archive, checksums);
      messages.push((await failure()).message);
    }
    layOut(root, archive);
    messages.push((await failure({ pin: 'a'.repeat(64) })).message);
    mirror.failAlways(CHECKSUMS_PATH, { status: 404 });
    messages.push((await failure()).message);
    expect(new Set(messages).size).toBe(5);
  });

  it('stops at another pin and names both hashes', async () => {
    const error = await failure({ pin: 'a'.repeat(64) });
    expect(error.code).toBe('PinMismatch');
    expect(error.message).toContain('aicrSha256.amd64');
    expect(error.message).toContain('a'.repeat(64));
    expect(error.message).toContain(sha256(archive));
  });

  it('stops at a corrupted archive, saying size and type', async () => {
    const damaged = Buffer.from(archive);
    damaged.writeUInt8(damaged.readUInt8(200) ^ 1, 200);
    layOut(root, damaged, `${sha256(archive)}  ${ARCHIVE}\n`);
    const error = await failure();
    expect(error.code).toBe('ChecksumMismatch');
    expect(error.message).toContain(`${damaged.length} bytes`);
    expect(error.message).toContain('application/octet-stream');
    expect(requests(ARCHIVE_PATH)).toBe(1);
  });

  it('recognises a web page that came instead of the archive', async () => {
    mirror.failAlways(ARCHIVE_PATH, {
      headers: { 'content-type': 'text/html' },
      body: '<html>sign in</html>',
    });
    const error = await failure();
    expect(error.code).toBe('ChecksumMismatch');
    expect(error.hint).toContain('HTML');
  });

  it('looks at the bytes as they lie on the server', async () => {
    mirror.failAlways(ARCHIVE_PATH, { headers: { 'content-encoding': 'gzip' }, body: archive });
    await expect(download()).resolves.toBeDefined();
  });
});

describe('an archive', () => {
  const outside = (): string => join(work, 'escape');
  const good = { name: 'aicr', content: aicrScript() };
  const hostile: readonly (readonly [string, () => Parameters<typeof archiveOf>[0], string])[] = [
    ['with a name that climbs out', () => [good, { name: '../escape', content: 'x' }], 'leads elsewhere'],
    [
      'with a name that climbs out in the middle',
      () => [good, { name: 'a/../../escape', content: 'x' }],
      'leads elsewhere',
    ],
    ['with an absolute name', () => [good, { name: outside(), content: 'x' }], 'leads elsewhere'],
    ['with a backslash in a name', () => [good, { name: '..\\escape', content: 'x' }], 'leads elsewhere'],
    [
      'with a link to a folder and a file through it',
      () => [{ name: 'd', type: 'symlink', linkname: work }, { name: 'd/escape', content: 'x' }, good],
      'symlink',
    ],
    [
      'with aicr as a symbolic link',
      () => [{ name: 'aicr', type: 'symlink', linkname: '/bin/sh' }],
      'symlink',
    ],
    ['with aicr as a hard link', () => [{ name: 'aicr', type: 'link', linkname: '/bin/sh' }], 'link'],
    [
      'with a device',
      () => [good, { name: 'null', type: 'character-device', devmajor: 1, devminor: 3 }],
      'character-device',
    ],
    ['with a pipe', () => [good, { name: 'pipe', type: 'fifo' }], 'fifo'],
    ['with aicr as a folder', () => [{ name: 'aicr', type: 'directory' }], 'directory'],
    ['with aicr twice', () => [good, { ...good, name: './aicr' }], 'two entries'],
    ['with an empty aicr', () => [{ name: 'aicr' }], 'empty'],
    ['without aicr', () => [{ name: 'aicrd', content: 'x' }], 'no file named aicr'],
    ['with aicr in a folder only', () => [{ name: 'bin/aicr', content: 'x' }], 'no file named aicr'],
  ];

  it.each(hostile)('%s is refused as a whole', async (_, entries, says) => {
    layOut(root, await archiveOf(entries()));
    const error = await failure();
    expect(error.code).toBe('ArchiveInvalid');
    expect(error.message).toContain(says);
    expect(error.message).toContain(`${mirror.url}${ARCHIVE_PATH}`);
    expect(existsSync(outside())).toBe(false);
  });

  it.each([
    ['cut short', () => archive.subarray(0, archive.length - 20)],
    ['of something else', () => Buffer.from('PK\u0003\u0004 not a tar.gz')],
    ['of nothing', () => Buffer.alloc(0)],
  ])('%s is refused even when the checksums file names it', async (_, bytes) => {
    layOut(root, bytes());
    const error = await failure();
    expect(error.code).toBe('ArchiveInvalid');
    expect(error.message).toContain('not a whole tar.gz');
  });
});

describe('a binary that does not start here', () => {
  it.each([
    ['for another CPU kind', elf(183)],
    ['that is no program', 'this is text'],
    ['that fails', '#!/bin/sh\necho "cannot allocate" >&2\nexit 1\n'],
  ])('%s is found out before it is used', async (_, content) => {
    layOut(root, await archiveOf([{ name: 'aicr', content }]));
    const error = await download().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: 'BinaryNotRunnable' });
  });
});

describe.skipIf(!mayMount)('on a file system', () => {
  const fat = (): Promise<Buffer> =>
    archiveOf([{ name: 'aicr', content: `${aicrScript('1.2.0', mark)}# ${'x'.repeat(2_000_000)}\n` }]);

  it('with too little room for the archive, nothing is fetched; what it needs and has is said', async () => {
    layOut(root, randomBytes(200_000));
    await withFileSystem('size=64k', async (small) => {
      const error = await failure({ binary: join(small, 'aicr', 'aicr') });
      expect(error.code).toBe('DiskFull');
      expect(error.message).toContain('needs 0.2 MiB');
      expect(error.message).toMatch(/has 0\.\d MiB free/);
      expect(error.hint).toContain('job.tmpSizeLimit');
      expect(test.recorded.retries).toEqual([]);
    });
  });

  it('with too little room for an archive of unknown size, the write is the first to know', async () => {
    const bytes = randomBytes(2_000_000);
    layOut(root, bytes);
    const server = createServer((request, response) => {
      if (request.url === CHECKSUMS_PATH) response.end(`${sha256(bytes)}  ${ARCHIVE}\n`);
      else {
        response.write(bytes.subarray(0, 1_000_000));
        response.end(bytes.subarray(1_000_000));
      }
    });
    const url = `http://127.0.0.1:${await listen(server)}`;
    await withFileSystem('size=512k', async (small) => {
      const error = await failure({
        binary: join(small, 'aicr', 'aicr'),
        archiveUrl: `${url}${ARCHIVE_PATH}`,
        checksumsUrl: `${url}${CHECKSUMS_PATH}`,
      });
      expect(error.code).toBe('DiskFull');
      expect(error.message).toMatch(/has 0\.\d MiB free/);
    });
    server.close();
  });

  it('with room for the archive but not for aicr, aicr is not half unpacked', async () => {
    layOut(root, await fat());
    await withFileSystem('size=1m', async (small) => {
      const error = await failure({ binary: join(small, 'aicr', 'aicr') });
      expect(error.code).toBe('DiskFull');
      expect(error.message).toContain('unpacking aicr');
      expect(error.message).toContain('needs 1.9 MiB');
    });
  });

  it('without execution, that is what is said', async () => {
    await withFileSystem('size=4m,noexec', async (noexec) => {
      const error = await download({ binary: join(noexec, 'aicr', 'aicr') }).then(
        () => undefined,
        (thrown: RunError) => thrown,
      );
      expect(error?.code).toBe('BinaryNotRunnable');
      expect(`${error?.message} ${error?.hint}`).toContain('noexec');
    });
  });
});

describe('a download that is under way', () => {
  it('ends with the run', async () => {
    layOut(root, randomBytes(500_000));
    mirror.failAlways(ARCHIVE_PATH, { rate: 10_000 });
    const over = new RunError('Interrupted', 'SIGTERM', { hint: '' });
    const ended = failure();
    await expect.poll(() => requests(ARCHIVE_PATH)).toBe(1);
    test.abort(over);
    expect(await ended).toBe(over);
  });

  it('is not waited for beyond what a checksums file can have', async () => {
    layOut(root, archive, 'x'.repeat(2_000_000));
    const error = await failure();
    expect(error.code).toBe('DownloadFailed');
    expect(error.message).toContain('larger than');
  });
});

/** @returns the port on loopback */
async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** The first bytes of a 64-bit little-endian ELF program for a machine. */
function elf(machine: number): string {
  const header = Buffer.alloc(64);
  header.write('\u007fELF\u0002\u0001\u0001', 'latin1');
  header.writeUInt16LE(2, 16);
  header.writeUInt16LE(machine, 18);
  return header.toString('latin1');
}
