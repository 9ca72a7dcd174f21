import { crc32 } from 'node:zlib';
import { pack } from 'tar-stream';
import { CHART_NAME } from './folder.ts';
import { byPath, type ChartFile } from './template.ts';

/**
 * Packs the chart as Helm wants it: one folder in a tar.gz. The same files give the same bytes on every machine and
 * at every time: entries are sorted, and owner, mode and time are fixed.
 */
export const packChart = async (files: readonly ChartFile[]): Promise<Uint8Array> => {
  const tar = pack();
  const chunks: Buffer[] = [];
  const done = (async () => {
    for await (const chunk of tar) chunks.push(chunk as Buffer);
  })();
  for (const file of files.toSorted(byPath)) {
    const header = { name: `${CHART_NAME}/${file.path}`, mode: 0o644, mtime: new Date(0), uid: 0, gid: 0 };
    tar.entry(header, Buffer.from(file.data));
  }
  tar.finalize();
  await done;
  return store(Buffer.concat(chunks));
};

/** Bytes of one stored block at most (RFC 1951, 3.2.4). */
const BLOCK = 0xffff;

/**
 * A gzip file (RFC 1952) that compresses nothing. What zlib makes of the same input differs between its versions
 * and builds; stored blocks have only one spelling. The program in the chart is compressed already, so it costs
 * some tens of kilobytes.
 */
const store = (data: Buffer): Uint8Array => {
  // Magic, deflate, no flags, no time, no extra flags, operating system unknown.
  const parts: Buffer[] = [Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])];
  for (let start = 0; start < data.length; start += BLOCK) {
    const block = data.subarray(start, start + BLOCK);
    const head = Buffer.alloc(5);
    head.writeUInt8(start + BLOCK >= data.length ? 1 : 0, 0);
    head.writeUInt16LE(block.length, 1);
    head.writeUInt16LE(~block.length & 0xffff, 3);
    parts.push(head, block);
  }
  const tail = Buffer.alloc(8);
  tail.writeUInt32LE(crc32(data), 0);
  tail.writeUInt32LE(data.length % 2 ** 32, 4);
  return Buffer.concat([...parts, tail]);
};
