import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createSink } from '../../src/runner/sink.ts';

const KIB = 'x'.repeat(1023).concat('\n');

/** A pipe that takes a few KiB until somebody reads it. */
const pipe = (): PassThrough => new PassThrough({ highWaterMark: 4096 });

/** Everything that is in a pipe, and that comes into it until it ends. */
async function readAll(stream: PassThrough): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}

test('is not busy while its reader keeps up', async () => {
  const stream = pipe();
  const all = readAll(stream);
  const sink = createSink(stream);
  expect(sink.busy()).toBeNull();
  sink.write('one\n');
  expect(sink.busy()).toBeNull();
  stream.end();
  expect(await all).toBe('one\n');
});

test('is busy until its reader has taken what there is', async () => {
  const stream = pipe();
  const sink = createSink(stream, 60_000);
  for (let i = 0; i < 20; i += 1) sink.write(KIB);
  const busy = sink.busy();
  expect(busy).not.toBeNull();
  // Who asks meanwhile waits for the same.
  expect(sink.busy()).toBe(busy);
  const all = readAll(stream);
  await busy;
  expect(sink.busy()).toBeNull();
  stream.end();
  expect(await all).toHaveLength(20 * 1024);
});

test('holds nobody up for a reader that takes nothing, keeps a mebibyte for it, and says what it left out', async () => {
  const stream = pipe();
  const sink = createSink(stream, 10);
  for (let i = 0; i < 20; i += 1) sink.write(KIB);
  await sink.busy();
  expect(sink.busy()).toBeNull();
  for (let i = 0; i < 3000; i += 1) sink.write(KIB);
  expect(stream.writableLength).toBeLessThan(1100 * 1024);

  const all = readAll(stream);
  await sink.flush(60_000);
  sink.write('the reader is back\n');
  stream.end();
  const text = await all;
  const leftOut = Number(/^\[(\d+) lines are left out here: nobody read the log\]$/m.exec(text)?.[1]);
  expect(text.match(/^x+$/gm)).toHaveLength(3020 - leftOut);
  expect(leftOut).toBeGreaterThan(1900);
  expect(text).toMatch(/nobody read the log\]\nthe reader is back\n$/);
});

test('a stream that is closed keeps nobody waiting', async () => {
  const stream = pipe();
  stream.on('error', () => {});
  const sink = createSink(stream, 60_000);
  for (let i = 0; i < 20; i += 1) sink.write(KIB);
  const busy = sink.busy();
  stream.destroy();
  await busy;
  expect(sink.busy()).toBeNull();
  sink.write('nobody hears this\n');
  await sink.flush(60_000);
});

test('waits at the end for what is not written yet, but not for ever', async () => {
  const stream = pipe();
  const sink = createSink(stream, 10);
  for (let i = 0; i < 20; i += 1) sink.write(KIB);
  await sink.flush(10);
  expect(stream.writableLength).toBeGreaterThan(0);
  const flushed = sink.flush(60_000);
  stream.resume();
  await flushed;
  expect(stream.writableLength).toBe(0);
});
