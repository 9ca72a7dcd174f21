import { RunError } from '../../../contract/index.ts';

/** What was got from the checksums file's URL. */
export interface ChecksumsFile {
  readonly text: string;
  /** As the server said; empty when it did not. */
  readonly contentType: string;
}

/** A hash, as far as a name comes after it. */
const HASH = /^\S+(?=[ \t]+\*?(?:\.\/)?(.+)$)/;
const SHA256 = /^[0-9a-fA-F]{64}$/;

/**
 * Finds the one hash that a checksums file gives for a file.
 *
 * Read are the spellings of `sha256sum`: `HASH  NAME`, `HASH *NAME`, with `./` before the name, either line end, a
 * byte-order mark, and blank lines.
 * @param name the archive's file name, compared as a whole
 * @param url where the file came from, for messages
 * @returns 64 lower-case hex digits
 * @throws RunError `ChecksumsInvalid`: empty, no entry, a malformed entry, more than one entry
 */
export function findChecksum(file: ChecksumsFile, name: string, url: string): string {
  const lines = file.text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length === 0) throw invalid(`${url} is empty`);

  const hashes = lines.flatMap((line) => {
    const found = HASH.exec(line);
    return found?.[1] === name ? [found[0]] : [];
  });
  const [hash, ...others] = hashes;
  if (hash === undefined) throw invalid(`${url} has no entry for ${name}${whatItIs(file)}`);
  if (others.length > 0) throw invalid(`${url} has ${hashes.length} entries for ${name}, not one`);
  if (!SHA256.test(hash)) {
    const fault =
      hash.length === 64 ? 'this one holds other characters' : `this one has ${hash.length} characters`;
    throw invalid(`${url} has a malformed entry for ${name}: a sha256 is 64 hex digits, ${fault}`);
  }
  return hash.toLowerCase();
}

/** What gzip begins with, read as UTF-8: its second byte is none. */
const GZIP = '\u001f\ufffd';

/** What came in place of the file, as far as it shows; else nothing. */
function whatItIs({ text, contentType }: ChecksumsFile): string {
  if (contentType.includes('html') || /^\s*</.test(text)) {
    return '; it looks like a web page (a login or error page, a captive portal)';
  }
  return text.startsWith(GZIP) ? '; it is compressed: the mirror must serve it as it is' : '';
}

const invalid = (message: string): RunError =>
  new RunError('ChecksumsInvalid', message, {
    hint: 'aicr_checksums.txt must be the one of this release: check aicrVersion and aicrSource.baseUrl.',
  });
