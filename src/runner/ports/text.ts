/**
 * Cuts a text to a number of bytes in UTF-8 without breaking a character; what was cut ends in `…`.
 * @param bytes at least 3, which is what the mark takes
 */
export function cutBytes(text: string, bytes: number): string {
  const encoded = Buffer.from(text);
  if (encoded.length <= bytes) {
    return text;
  }
  let end = bytes - 3;
  // Bytes of the form 10xxxxxx continue a character.
  while ((encoded.readUInt8(end) & 0xc0) === 0x80) {
    end -= 1;
  }
  return `${encoded.toString('utf8', 0, end)}…`;
}

/** What something thrown says. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);

/** Node's code of a system error, such as `ENOENT`; undefined for anything else. */
export const codeOf = (thrown: unknown): unknown =>
  thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
