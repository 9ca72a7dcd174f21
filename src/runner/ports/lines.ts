import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';

/** A longer line is cut here: 64 KiB is far beyond anything a person reads, and keeps memory bounded. */
export const LONGEST_LINE = 64 * 1024;

/** Read beyond the cut so that a secret lying across it is masked whole before the line is cut. */
const OVERLAP = 8 * 1024;

/** Splits a stream of bytes into lines; feed it with `write`, and with `end` once. */
export interface LineSplitter {
  write(chunk: Uint8Array): void;
  end(): void;
}

/**
 * @param mask hides secrets in a line
 * @param onLine gets each line without its line end, masked, without control characters, at most
 * {@link LONGEST_LINE} characters and a mark when it was cut
 */
export function createLineSplitter(
  mask: (text: string) => string,
  onLine: (line: string) => void,
): LineSplitter {
  const decoder = new StringDecoder();
  let kept = '';
  let length = 0;

  const take = (text: string): void => {
    length += text.length;
    kept += text.slice(0, LONGEST_LINE + OVERLAP - kept.length);
  };
  const flush = (): void => {
    const line = mask(printable(kept));
    const cut = length > LONGEST_LINE ? ` [cut: the line has ${length} characters]` : '';
    kept = '';
    length = 0;
    onLine(line.slice(0, LONGEST_LINE) + cut);
  };
  const feed = (text: string): void => {
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      take(text.slice(from, end));
      flush();
      from = end + 1;
    }
    take(text.slice(from));
  };
  return {
    write: (chunk) => feed(decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))),
    end: () => {
      feed(decoder.end());
      if (length > 0) {
        flush();
      }
    },
  };
}

/** Control characters but the tab; new lines are gone when this is asked. */
const CONTROLS = /[^\P{Cc}\t]/gu;

/**
 * A line as it may be shown anywhere: terminal sequences and control characters taken out, tabs kept. Of a line that
 * was overwritten by carriage returns (progress bars), the last state.
 */
export function printable(text: string): string {
  const ended = text.endsWith('\r') ? text.slice(0, -1) : text;
  const shown = ended.slice(ended.lastIndexOf('\r') + 1);
  return stripVTControlCharacters(shown).replace(CONTROLS, '');
}
