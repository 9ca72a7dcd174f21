import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aicrScript, archiveOf, layOut } from './archives.ts';
import { ARCHIVE_PATH, archive, download, failure, mirror, root, work } from './downloading.ts';

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

/** The first bytes of a 64-bit little-endian ELF program for a machine. */
function elf(machine: number): string {
  const header = Buffer.alloc(64);
  header.write('\u007fELF\u0002\u0001\u0001', 'latin1');
  header.writeUInt16LE(2, 16);
  header.writeUInt16LE(machine, 18);
  return header.toString('latin1');
}
