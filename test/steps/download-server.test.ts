import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RunError } from '../../src/contract/index.ts';
import {
  ARCHIVE_PATH,
  archive,
  CHECKSUMS_PATH,
  download,
  failure,
  listen,
  mirror,
  requests,
  root,
  test,
} from './downloading.ts';

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
    expect(error.hint).toMatch(
      /^Trusted are the public authorities and the cluster's own\. .* aicrSha256\.$/,
    );
    expect(test.recorded.retries).toEqual([]);
  });

  it('that speaks no TLS on an https address is not asked twice', async () => {
    const error = await failure({
      checksumsUrl: `${mirror.url.replace('http:', 'https:')}${CHECKSUMS_PATH}`,
    });
    expect(error.code).toBe('DownloadFailed');
    expect(error.hint).toMatch(/^Check that the pod may reach this host/);
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
