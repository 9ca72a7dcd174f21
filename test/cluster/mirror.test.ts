import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Mirror } from '../../hack/cluster/index.ts';

const PATH = '/v1.2.0/archive';
const CONTENT = Buffer.alloc(200_000, 'abc');

describe('the mirror', () => {
  let root: string;
  let mirror: Mirror;

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'mirror-'));
    mkdirSync(join(root, 'v1.2.0'));
    writeFileSync(join(root, PATH), CONTENT);
    mirror = await Mirror.start(root, '127.0.0.1');
  });

  beforeEach(() => mirror.reset());

  afterAll(async () => {
    await mirror.stop();
    rmSync(root, { recursive: true });
  });

  const fetchIt = async (path = PATH) => await fetch(`${mirror.url}${path}`);

  it('serves files and nothing outside its folder', async () => {
    expect(Buffer.from(await (await fetchIt()).arrayBuffer())).toEqual(CONTENT);
    expect((await fetchIt('/v1.2.0')).status).toBe(404);
    expect((await fetchIt('/%2e%2e/%2e%2e/etc/passwd')).status).toBe(404);
  });

  it('fails as often as it is told, then serves', async () => {
    mirror.fail(PATH, { status: 503, headers: { 'retry-after': '1' } }, { status: 429 });
    const answers = [await fetchIt(), await fetchIt(), await fetchIt()];
    expect(answers.map(({ status }) => status)).toEqual([503, 429, 200]);
    expect(answers[0]?.headers.get('retry-after')).toBe('1');
    expect(mirror.requests.map(({ status }) => status)).toEqual([503, 429, 200]);
  });

  it('cuts the connection after so many bytes, or before any', async () => {
    mirror.fail(PATH, { cutAfter: 1000 }, { cutAfter: 0 });
    const cut = await fetchIt();
    expect(cut.headers.get('content-length')).toBe(String(CONTENT.length));
    await expect(cut.arrayBuffer()).rejects.toThrow();
    await expect(fetchIt()).rejects.toThrow();
    expect(mirror.requests.map(({ status }) => status)).toEqual([200, 0]);
  });

  it('answers with another body and content type for as long as it is told', async () => {
    mirror.failAlways(PATH, { headers: { 'content-type': 'text/html' }, body: '<html>sign in</html>' });
    for (const answer of [await fetchIt(), await fetchIt()]) {
      expect(answer.headers.get('content-type')).toBe('text/html');
      expect(await answer.text()).toBe('<html>sign in</html>');
    }
    mirror.reset();
    expect((await fetchIt()).headers.get('content-type')).toBe('application/octet-stream');
  });

  it('sends slowly but whole', async () => {
    mirror.fail(PATH, { rate: 1_000_000 });
    expect((await (await fetchIt()).arrayBuffer()).byteLength).toBe(CONTENT.length);
  });
});
