import { RunError } from '../../../contract/index.ts';
import type { DownloadStep } from '../../planned.ts';
import type { Received } from './transfer.ts';

/** Says what arrived instead of the archive: its size, its type, and what that makes likely. */
export function describeMismatch(step: DownloadStep, expected: string, received: Received): RunError {
  const { sha256, size, contentType, contentEncoding, head } = received;
  const type = contentType === '' ? 'no content type' : contentType;
  return new RunError(
    'ChecksumMismatch',
    `${step.archiveUrl} has sha256 ${sha256}, but the checksums file says ${expected} (got ${size} bytes, ${type})`,
    { hint: likelyCause(contentType, contentEncoding, head) },
  );
}

function likelyCause(contentType: string, contentEncoding: string, head: string): string {
  if (contentType.includes('html') || /^\s*<(!doctype|html)/i.test(head)) {
    return 'That is an HTML page, not an archive: a login page, an error page or a captive portal answered. Check aicrSource.baseUrl and the proxy.';
  }
  if (contentEncoding !== '') {
    return `The server sent the archive with Content-Encoding ${contentEncoding}: let the mirror serve the file as it is.`;
  }
  return 'The archive is damaged or has been replaced; nothing of it was used. Check the mirror (aicrSource.baseUrl) against the release.';
}
