import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { POINTER_FILE } from './bundle.ts';

/**
 * The mode aicr gives the files of a bundle. It goes into the digest of what `aicr evidence publish` pushes: evidence
 * that is unpacked and published later must have the digest that publishing it here gives.
 */
const FILE_MODE = 0o600;

/** An evidence folder, packed. */
export interface EvidenceArchive {
  /** Bytes of the archive. */
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** Paths that were left out, as they are neither files nor folders. */
  readonly odd: readonly string[];
}

/**
 * Packs an evidence folder as tar.gz, so that `aicr evidence verify` accepts what `tar xzf` makes of it. The same
 * files give the same bytes: paths are sorted, and neither times, owners nor modes of the files go in. The
 * pointer stays outside: before publishing it points nowhere, and then it has a key of its own.
 * @param dir what `--emit-attestation` was given
 * @param archive file that is written
 */
export async function packEvidence(dir: string, archive: string): Promise<EvidenceArchive> {
  const { files, odd } = await listFiles(dir);
  const entries = pack();
  const hash = createHash('sha256');
  let size = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const bytes = size === 0 ? withoutSystem(chunk) : chunk;
      size += bytes.length;
      hash.update(bytes);
      done(null, bytes);
    },
  });
  const gzip = createGzip({ level: constants.Z_BEST_COMPRESSION });
  const written = pipeline(entries, gzip, measure, createWriteStream(archive, { mode: 0o600 }));
  await Promise.all([feed(entries, dir, files), written]);
  return { size, sha256: hash.digest('hex'), odd };
}

async function feed(entries: ReturnType<typeof pack>, dir: string, files: readonly string[]): Promise<void> {
  try {
    for (const name of files) {
      const file = join(dir, name);
      const { size } = await stat(file);
      const header = {
        name,
        size,
        mode: FILE_MODE,
        mtime: new Date(0),
        uid: 0,
        gid: 0,
        uname: '',
        gname: '',
      };
      await new Promise<void>((resolve, reject) => {
        const entry = entries.entry(header, (error) => (error ? reject(error) : resolve()));
        pipeline(createReadStream(file), entry).catch(reject);
      });
    }
    entries.finalize();
  } catch (error) {
    entries.destroy(error instanceof Error ? error : new Error(String(error)));
    throw error;
  }
}

async function listFiles(dir: string): Promise<{ files: string[]; odd: string[] }> {
  const files: string[] = [];
  const odd: string[] = [];
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    const path = relative(dir, join(entry.parentPath, entry.name));
    if (path === POINTER_FILE || entry.isDirectory()) continue;
    (entry.isFile() ? files : odd).push(path);
  }
  return { files: files.sort(), odd: odd.sort() };
}

/** Byte 9 of a gzip header names the system it was made on (RFC 1952); 255 is "unknown". */
function withoutSystem(chunk: Buffer): Buffer {
  const bytes = Buffer.from(chunk);
  bytes[9] = 255;
  return bytes;
}
