import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { failedRecord, readRecord, writeRecord } from '../../src/runner/steps/releases/record.ts';

const RECORD = {
  name: 'alpha',
  info: {
    status: 'pending-upgrade',
    first_deployed: '2026-11-30T01:00:00.123456789Z',
    last_deployed: '2026-11-30T02:00:00+01:00',
    description: 'Preparing upgrade',
    notes: 'a <b> & "c" é',
  },
  config: { replicas: 3, ratio: 0.5, big: 1e21, off: null, list: [] },
  version: 2,
};
const twice = (text: string): string => Buffer.from(text).toString('base64');
const pack = (value: unknown): string => twice(gzipSync(JSON.stringify(value)).toString('base64'));

test('a record is read, and written as Helm reads it', () => {
  const read = readRecord(pack(RECORD));
  expect(read).toEqual(RECORD);
  const written = Buffer.from(writeRecord(read ?? RECORD), 'base64').toString();
  expect(JSON.parse(gunzipSync(Buffer.from(written, 'base64')).toString())).toEqual(RECORD);
});

test('a record is packed as tightly as Helm does it, because a Secret holds 1 MiB', () => {
  const gzip = Buffer.from(Buffer.from(writeRecord(RECORD), 'base64').toString(), 'base64');
  // RFC 1952, 2.3.1: this byte of the header is 2 for the slowest algorithm.
  expect(gzip[8]).toBe(2);
});

test('a record is set to failed with its reason, and nothing else of it changes', () => {
  expect(failedRecord(RECORD, 'because')).toEqual({
    ...RECORD,
    info: { ...RECORD.info, status: 'failed', description: 'because' },
  });
});

test.each([
  ['nothing', ''],
  ['not even that', undefined],
  ['no base64 of base64', twice('%%%')],
  ['no gzip', twice(twice('hello'))],
  ['no JSON', twice(gzipSync('{').toString('base64'))],
  ['null', pack(null)],
  ['without info', pack({ name: 'alpha' })],
  ['without its times', pack({ info: { status: 'deployed' } })],
  ['with a status that is no text', pack({ info: { ...RECORD.info, status: 1 } })],
])('what holds %s is no record', (_, data) => {
  expect(readRecord(data)).toBeNull();
});

test('what would unpack to more than any chart is no record', () => {
  const padded = (bytes: number): string =>
    twice(gzipSync(`${JSON.stringify(RECORD)}${' '.repeat(bytes)}`).toString('base64'));
  expect(readRecord(padded(1024))).toEqual(RECORD);
  expect(readRecord(padded(65 * 1024 * 1024))).toBeNull();
});
