import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type ReasonCode, RunError } from '../../../contract/index.ts';
import type { StepContext } from '../../context.ts';
import type { HttpResponse } from '../../ports/index.ts';
import { asDiskFull, ensureSpace } from '../disk.ts';
import { RetryAfterError } from '../retry.ts';
import type { ChecksumsFile } from './checksums.ts';

/** How long a connection may stay silent. */
const IDLE_TIMEOUT_MS = 60_000;

/** A file that has arrived. */
export interface Received {
  /** Lower-case hex. */
  readonly sha256: string;
  readonly size: number;
  readonly contentType: string;
  readonly contentEncoding: string;
  /** The first bytes as text, to recognise a web page. */
  readonly head: string;
}

/** How an answer that says no is reported. */
export interface Refusal {
  readonly code: ReasonCode;
  readonly hint: string;
}

/**
 * Gets a small text file.
 * @param largest most bytes that are read
 * @throws RunError with the refusal's code for a status that says no; `DownloadFailed`, transient where trying again
 *   can help
 */
export async function fetchText(
  url: string,
  largest: number,
  context: StepContext,
  refusal: Refusal,
): Promise<ChecksumsFile> {
  const response = await get(url, context, refusal);
  const chunks: Uint8Array[] = [];
  for await (const chunk of bounded(response, largest)) chunks.push(chunk);
  return { text: Buffer.concat(chunks).toString('utf8'), contentType: header(response, 'content-type') };
}

/**
 * Streams a file once through its hash into a temporary file, and puts it in place when it is whole. What lay at the
 * target before is never looked at.
 * @param target where the file shall be; its folder exists
 * @throws RunError as {@link fetchText}; `DiskFull`
 */
export async function fetchFile(
  url: string,
  target: string,
  largest: number,
  context: StepContext,
  refusal: Refusal,
): Promise<Received> {
  const folder = dirname(target);
  const response = await get(url, context, refusal);
  const announced = Number(header(response, 'content-length')) || undefined;
  if (announced !== undefined) await ensureSpace(folder, announced, url);

  const partial = `${target}.partial`;
  const hash = createHash('sha256');
  let size = 0;
  let head = '';
  const file = await open(partial, 'w', 0o600);
  try {
    for await (const chunk of bounded(response, largest)) {
      if (size === 0) head = Buffer.from(chunk.subarray(0, 256)).toString('latin1');
      hash.update(chunk);
      await file.appendFile(chunk);
      size += chunk.byteLength;
    }
  } catch (error) {
    await file.close();
    await rm(partial, { force: true });
    throw await asDiskFull(error, folder, url, announced);
  }
  await file.close();
  await rename(partial, target);
  return {
    sha256: hash.digest('hex'),
    size,
    contentType: header(response, 'content-type'),
    contentEncoding: header(response, 'content-encoding'),
    head,
  };
}

async function get(url: string, context: StepContext, refusal: Refusal): Promise<HttpResponse> {
  const response = await context.http
    .get(url, { signal: context.signal, idleTimeoutMs: IDLE_TIMEOUT_MS })
    .catch((error: unknown) => {
      throw distrusts(error) ? final(error) : error;
    });
  if (response.status === 200) return response;
  await discard(response);
  const moved = response.url === url ? '' : ` (sent on to ${new URL(response.url).origin})`;
  const message = `HTTP ${response.status} for ${url}${moved}`;
  if (!mayHelpLater(response.status)) {
    const asks = response.status === 401 || response.status === 403;
    const hint = asks ? `${refusal.hint} ${NO_CREDENTIALS}` : refusal.hint;
    throw new RunError(refusal.code, message, { hint });
  }
  const error = new RunError('DownloadFailed', message, {
    hint: `The server is overloaded or down: ${new URL(response.url).host}. Run again when it is up.`,
    transient: true,
  });
  const pause = retryAfter(header(response, 'retry-after'), context.clock.now());
  throw pause === null ? error : new RetryAfterError(error, pause);
}

const NO_CREDENTIALS = 'No request carries credentials: the mirror must let anybody read.';

/** Tells whether the certificate was refused, or there was none: a later try would end the same way. */
function distrusts(error: unknown): error is RunError {
  if (!(error instanceof RunError) || !(error.cause instanceof Error)) return false;
  return (
    /CERT|LEAF_SIGNATURE|WRONG_VERSION/.test(codeOf(error)) ||
    /wrong version number/.test(error.cause.message)
  );
}

/** Codes for a certificate that cannot be followed to an authority that is trusted here. */
const UNTRUSTED = /SELF_SIGNED|LEAF_SIGNATURE|ISSUER_CERT/;

const codeOf = ({ cause }: RunError): string =>
  cause instanceof Error && 'code' in cause ? String(cause.code) : '';

const final = (error: RunError): RunError =>
  new RunError(error.code, error.message, {
    hint: UNTRUSTED.test(codeOf(error))
      ? "Trusted are the public authorities and the cluster's own. Give the mirror (aicrSource.baseUrl) a certificate of one of these, or serve it over http:// and pin the archive with aicrSha256."
      : error.hint,
    cause: error.cause,
    tail: error.tail,
  });

const mayHelpLater = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/**
 * Reads a Retry-After header, seconds or a date (RFC 9110, 10.2.3).
 * @returns milliseconds from now, not negative; null when there is none or it cannot be read
 */
export function retryAfter(value: string, now: Date): number | null {
  if (/^\d+$/.test(value.trim())) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now.getTime());
}

/**
 * The body, up to a size. A connection that breaks makes the port throw a transient error; one that ends too early
 * without breaking (a proxy's doing) is found out here.
 */
async function* bounded(response: HttpResponse, largest: number): AsyncGenerator<Uint8Array> {
  const { url } = response;
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    if (size > largest) {
      throw new RunError('DownloadFailed', `${url} is larger than ${largest} bytes`, {
        hint: 'This cannot be a file of an aicr release: check aicrSource.baseUrl.',
      });
    }
    yield chunk;
  }
  const announced = header(response, 'content-length');
  if (announced === '' || size === Number(announced)) return;
  throw new RunError('DownloadFailed', `${url} ended after ${size} of ${announced} bytes`, {
    hint: 'Check the network between this node and the server, and any proxy.',
    transient: true,
  });
}

/** Frees the connection of an answer whose body is of no interest. */
async function discard(response: HttpResponse): Promise<void> {
  try {
    for await (const _ of response.body) return;
  } catch {
    // The status is what counts; a body that does not come changes nothing.
  }
}

const header = (response: HttpResponse, name: string): string => response.headers[name] ?? '';
