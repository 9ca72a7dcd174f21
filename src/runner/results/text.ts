/** Text that a ConfigMap can hold, and how many characters had to be replaced for it. */
export interface CleanText {
  readonly text: string;
  /** Bytes that are no UTF-8, and control characters; 0: the text is as it came. */
  readonly replaced: number;
}

// Everything below U+0020 but tab, line feed and the carriage return of a CRLF; DEL; C1 controls; lone surrogates.
const UNFIT =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\r(?!\n)|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const REPLACEMENT = '\ufffd';
/** It in UTF-8, a character for each byte. */
const REPLACEMENT_BYTES = '\u00ef\u00bf\u00bd';

/**
 * Makes text of bytes so that it stays valid inside JSON and shows what was there: a control character becomes its
 * Unicode picture (ESC is shown as U+241B), a byte that is no UTF-8 becomes U+FFFD. Both are allowed in a JSON string,
 * so a JSON document with odd bytes stays, or becomes, a JSON document. Never throws.
 */
export function cleanText(content: string | Uint8Array): CleanText {
  const decoded = typeof content === 'string' ? { text: content, replaced: 0 } : decode(content);
  let replaced = decoded.replaced;
  const text = decoded.text.replace(UNFIT, (character) => {
    replaced += 1;
    const code = character.charCodeAt(0);
    if (code < 0x7f) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? '\u2421' : REPLACEMENT;
  });
  return { text, replaced };
}

function decode(bytes: Uint8Array): CleanText {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  // What the bytes themselves spell out is no replacement of ours.
  return { text, replaced: text.split(REPLACEMENT).length - latin1.split(REPLACEMENT_BYTES).length };
}
