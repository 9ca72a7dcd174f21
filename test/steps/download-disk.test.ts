import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunError } from '../../src/contract/index.ts';
import { ARCHIVE, aicrScript, archiveOf, layOut, sha256 } from './archives.ts';
import { ARCHIVE_PATH, CHECKSUMS_PATH, download, failure, listen, mark, root, test } from './downloading.ts';
import { mayMount, withFileSystem } from './small-disk.ts';

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
