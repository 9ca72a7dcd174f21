import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type Header } from 'tar-stream';
import { RunError } from '../../../contract/index.ts';
import { asDiskFull, ensureSpace } from '../disk.ts';

/** Files of a release archive that are kept, with the most bytes each may have. */
const WANTED: Readonly<Record<string, number>> = {
  aicr: 1024 ** 3,
  // `aicr bundle --attest` looks for it beside the binary.
  'aicr-attestation.sigstore.json': 16 * 1024 ** 2,
  'recipe-catalog.sigstore.json': 16 * 1024 ** 2,
};
/** Large pieces: with the streams' own 16 KiB, handing them on takes longer than unpacking. */
const PIECE_BYTES = 1024 ** 2;
/** Bounds what a small archive can unfold to. */
const LARGEST_CONTENT_BYTES = 2 * 1024 ** 3;

/**
 * Takes aicr, and what belongs beside it, out of a release archive. Every entry is looked at before any file gets
 * its name: an archive with links, devices, or names that lead elsewhere is refused as a whole.
 * @param binary where `aicr` shall be; its folder exists and is empty but for the archive
 * @param source the archive's URL, for messages
 * @throws RunError `ArchiveInvalid`, `DiskFull`
 */
export async function unpackArchive(archive: string, binary: string, source: string): Promise<void> {
  const folder = dirname(binary);
  const taken = new Map<string, string>();
  try {
    await readEntries(archive, async (header, content) => {
      const name = checkEntry(header);
      if (!(name in WANTED)) return drain(content);
      if (taken.has(name)) throw invalid(`has two entries named ${name}`);
      const target = join(folder, name === 'aicr' ? basename(binary) : name);
      taken.set(name, target);
      await takeFile(header, content, `${target}.partial`, WANTED[name] ?? 0);
    });
    if (!taken.has('aicr')) throw invalid('holds no file named aicr');
  } catch (error) {
    await Promise.all([...taken.values()].map((target) => rm(`${target}.partial`, { force: true })));
    throw await explain(error, folder, source);
  }
  await chmod(`${taken.get('aicr')}.partial`, 0o755);
  for (const target of taken.values()) await rename(`${target}.partial`, target);
}

/** An entry's bytes. */
type Content = AsyncIterable<Uint8Array>;

/** Calls `take` with each entry in turn; it must use up the content. */
async function readEntries(
  archive: string,
  take: (header: Header, content: Content) => Promise<void>,
): Promise<void> {
  const entries = extract();
  entries.on('entry', (header, content, next) => {
    // What is thrown below destroys the entry as well as the archive; the archive's error is the one that is reported.
    content.on('error', () => {});
    take(header, content as Content).then(() => next(), next);
  });
  await pipeline(
    createReadStream(archive, { highWaterMark: PIECE_BYTES }),
    createGunzip({ chunkSize: PIECE_BYTES }),
    limitTo(LARGEST_CONTENT_BYTES),
    entries as unknown as Writable,
  );
}

/** The entry's plain name, once it is sure that the entry is harmless. */
function checkEntry(header: Header): string {
  const shown = JSON.stringify(header.name);
  if (header.type !== 'file' && header.type !== 'contiguous-file' && header.type !== 'directory') {
    throw invalid(`holds ${shown}, which is a ${header.type ?? 'thing of unknown kind'}`);
  }
  const parts = header.name.split('/').filter((part) => part !== '' && part !== '.');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (header.name.startsWith('/') || parts.includes('..') || /[\\\u0000-\u001f\u007f]/.test(header.name)) {
    throw invalid(`holds ${shown}, a name that leads elsewhere`);
  }
  const name = parts.join('/');
  if (header.type === 'directory' && name in WANTED) throw invalid(`holds ${shown}, which is a directory`);
  return name;
}

async function takeFile(header: Header, content: Content, target: string, largest: number): Promise<void> {
  const size = header.size ?? 0;
  if (size === 0) throw invalid(`holds ${header.name}, which is empty`);
  if (size > largest) throw invalid(`holds ${header.name} with ${size} bytes, more than ${largest}`);
  await ensureSpace(dirname(target), size, `unpacking ${header.name}`);
  await pipeline(content, createWriteStream(target, { flags: 'wx', mode: 0o600 }));
}

async function drain(content: Content): Promise<void> {
  for await (const _ of content);
}

function limitTo(largest: number): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.byteLength;
      done(size > largest ? invalid(`unfolds to more than ${largest} bytes`) : null, chunk);
    },
  });
}

/** Adds where the archive came from; what is neither ours nor the disk's fault is the archive's. */
async function explain(error: unknown, folder: string, source: string): Promise<unknown> {
  const known = await asDiskFull(error, folder, 'unpacking aicr');
  if (known instanceof RunError && known.code !== 'ArchiveInvalid') return known;
  const fault =
    error instanceof RunError ? error.message : `is not a whole tar.gz file (${(error as Error).message})`;
  return new RunError('ArchiveInvalid', `the archive ${source} ${fault}`, {
    hint: 'A release archive holds aicr and its attestations as plain files: check aicrSource.baseUrl. Nothing of it was kept.',
    cause: error,
  });
}

const invalid = (fault: string): RunError =>
  new RunError('ArchiveInvalid', fault, { hint: 'Check the archive against the release.' });
