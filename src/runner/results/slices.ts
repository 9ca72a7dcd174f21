import { textSize } from './budget.ts';

/**
 * Cuts a text into slices that join back to it byte for byte. Slices end at a line end where one is near, and never
 * inside a character.
 * @param text whole text
 * @param limit most bytes of one slice as a JSON string; at least 16
 */
export function sliceText(text: string, limit: number): string[] {
  const slices: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = sliceEnd(text, start, limit);
    slices.push(text.slice(start, end));
    start = end;
  }
  return slices;
}

/**
 * The beginning of a text, up to a line end where one is near, and never ending inside a character.
 * @param limit most bytes of the beginning
 */
export function textBeginning(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return text;
  let end = limit;
  // Bytes 10xxxxxx go on with a character that began before.
  while ((bytes.readUInt8(end) & 0xc0) === 0x80) end -= 1;
  const line = bytes.lastIndexOf(0x0a, end - 1) + 1;
  return bytes.subarray(0, line > end / 2 ? line : end).toString('utf8');
}

function sliceEnd(text: string, start: number, limit: number): number {
  const fits = (end: number): boolean => textSize(text.slice(start, end)) <= limit;
  // A character takes at least one byte, so nothing beyond limit characters can fit.
  let low = start + 1;
  let high = Math.min(text.length, start + limit);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  if (low === text.length) return low;
  const line = text.lastIndexOf('\n', low - 1) + 1;
  // No slice ends between the halves of a surrogate pair: half of one takes more as JSON than the pair.
  return line - start > (low - start) / 2 ? line : low;
}

/**
 * Cuts bytes into slices that join back to them.
 * @param limit most bytes of one slice in base64
 */
export function sliceBytes(bytes: Uint8Array, limit: number): Uint8Array[] {
  const length = Math.floor((limit - 2) / 4) * 3;
  const slices: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; start += length)
    slices.push(bytes.subarray(start, start + length));
  return slices;
}
