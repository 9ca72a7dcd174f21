import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RunError } from '../../src/contract/index.ts';
import { ARCHIVE, aicrScript, archiveOf, layOut, sha256 } from './archives.ts';
import {
  ARCHIVE_PATH,
  archive,
  CHECKSUMS_PATH,
  download,
  failure,
  mark,
  mirror,
  requests,
  root,
  test,
  work,
} from './downloading.ts';

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

describe('a release that is not there', () => {
  it.each([401, 403, 404, 410])('(%i) is not asked for twice; URL and keys are named', async (status) => {
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
    expect(/No request carries credentials/.test(error.hint)).toBe(status < 404);
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
