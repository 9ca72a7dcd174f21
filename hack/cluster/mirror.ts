import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What a mirror does instead of answering properly, for one request. All parts may be combined. */
export interface Fault {
  /** HTTP status; 200 when left out. */
  status?: number;
  /** Header fields added to the answer, such as `retry-after`, `location`, `content-type`. */
  headers?: Record<string, string>;
  /** Sent in place of the file. */
  body?: string | Buffer;
  /** The connection is cut after so many bytes of the body; 0 cuts it before the header. */
  cutAfter?: number;
  /** Milliseconds before the answer starts. */
  delay?: number;
  /** Bytes a second at most. */
  rate?: number;
}

/** One request as the mirror saw it. */
export interface SeenRequest {
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  /** Status answered; 0 when the connection was cut before. */
  status: number;
}

/**
 * A plain HTTP server of a folder with releases: `<root>/v<V>/aicr_<V>_linux_<arch>.tar.gz` and
 * `<root>/v<V>/aicr_checksums.txt`, the layout of `aicrSource.baseUrl`. Tests tell it to misbehave.
 */
export class Mirror {
  /** What to set as `aicrSource.baseUrl`. */
  readonly url: string;
  /** Every request so far. */
  readonly requests: SeenRequest[] = [];
  readonly #server: Server;
  readonly #once = new Map<string, Fault[]>();
  readonly #always = new Map<string, Fault>();

  private constructor(root: string, server: Server, url: string) {
    this.url = url;
    this.#server = server;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#answer(root, request, response).catch((error: Error) => response.destroy(error));
    });
  }

  /**
   * Starts a mirror in this process.
   * @param root folder that it serves
   * @param address where it listens; `cluster.address` for pods to reach it
   * @param port 0 for a free one
   */
  static async start(root: string, address: string, port = 0): Promise<Mirror> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, address, resolve));
    const bound = server.address();
    const actual = typeof bound === 'object' && bound !== null ? bound.port : port;
    return new Mirror(root, server, `http://${address}:${actual}`);
  }

  /**
   * Makes the next requests for a path go wrong, one fault each; after them the file is served again.
   * @param path begins with a slash: `/v1.2.0/aicr_checksums.txt`
   */
  fail(path: string, ...faults: Fault[]): void {
    this.#once.set(path, [...(this.#once.get(path) ?? []), ...faults]);
  }

  /** Makes every request for a path go wrong. */
  failAlways(path: string, fault: Fault): void {
    this.#always.set(path, fault);
  }

  /** Forgets all faults and all requests. */
  reset(): void {
    this.#once.clear();
    this.#always.clear();
    this.requests.length = 0;
  }

  /** Stops it, cutting what is still being sent. */
  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(root: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = decodeURIComponent(new URL(request.url ?? '/', this.url).pathname);
    const fault = this.#once.get(path)?.shift() ?? this.#always.get(path) ?? {};
    const file = join(root, normalize(path));
    const found = existsSync(file) && statSync(file).isFile();
    const body = fault.body ?? (found ? file : 'not found\n');
    const status = fault.status ?? (found || fault.body !== undefined ? 200 : 404);
    const seen: SeenRequest = { method: request.method ?? '', path, headers: request.headers, status };
    this.requests.push(seen);
    if (fault.delay) await new Promise((resolve) => setTimeout(resolve, fault.delay));
    if (fault.cutAfter === 0) {
      seen.status = 0;
      response.destroy();
      return;
    }
    const fromFile = found && fault.body === undefined;
    response.writeHead(status, {
      'content-type': fromFile ? 'application/octet-stream' : 'text/plain',
      'content-length': fromFile ? statSync(file).size : Buffer.byteLength(body),
      ...fault.headers,
    });
    if (request.method === 'HEAD') response.end();
    else await send(response, fromFile ? createReadStream(file) : [Buffer.from(body)], fault);
  }
}

async function send(
  response: ServerResponse,
  body: AsyncIterable<Buffer> | Buffer[],
  fault: Fault,
): Promise<void> {
  let left = fault.cutAfter ?? Number.POSITIVE_INFINITY;
  for await (const chunk of body) {
    // A tenth of a second's worth at a time, so that "slow" means a trickle and not one late burst.
    const step = fault.rate ? Math.max(1, Math.floor(fault.rate / 10)) : chunk.length;
    for (let start = 0; start < chunk.length; start += step) {
      const part = chunk.subarray(start, Math.min(start + step, chunk.length)).subarray(0, left);
      left -= part.length;
      if (response.destroyed) return;
      await new Promise<void>((resolve) => response.write(part, () => resolve()));
      if (left <= 0) return void response.destroy();
      if (fault.rate) await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  response.end();
}

// As a program: serves a folder until it is stopped. The cluster runs it so, because it may outlive its starter.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [root = '', address = '', port = ''] = process.argv.slice(2);
  const mirror = await Mirror.start(root, address, Number(port));
  process.stdout.write(`serving ${root} on ${mirror.url}\n`);
}
