import { gunzipSync, gzipSync } from 'node:zlib';

/** What Helm keeps of one revision of a release; only what is read is named, the rest is carried along. */
export interface HelmRecord {
  readonly info: {
    readonly status: string;
    /** When the release was first installed; all its revisions have it. RFC 3339. */
    readonly first_deployed: string;
    /** When this revision was begun. RFC 3339. */
    readonly last_deployed: string;
    readonly [other: string]: unknown;
  };
  readonly [other: string]: unknown;
}

/** What gunzip may make of 1 MiB: charts are text, and a Secret that says otherwise is no release. */
const LONGEST_RECORD = 64 * 1024 * 1024;

/**
 * Reads the body of a release Secret: base64 of base64 of gzip of JSON, the same in Helm 3 and 4
 * (https://github.com/helm/helm/blob/main/pkg/storage/driver/util.go).
 * @param data the Secret's key `release` as the API gives it; undefined when it has none
 * @returns null when it is no release
 */
export function readRecord(data = ''): HelmRecord | null {
  try {
    const packed = Buffer.from(Buffer.from(data, 'base64').toString('latin1'), 'base64');
    const text = gunzipSync(packed, { maxOutputLength: LONGEST_RECORD }).toString('utf8');
    // What is null has no properties: reading one throws, as what is no JSON does.
    const record = JSON.parse(text) as Partial<HelmRecord>;
    const { status, first_deployed, last_deployed } = record.info ?? {};
    const whole = [status, first_deployed, last_deployed].every((text) => typeof text === 'string');
    return whole ? (record as HelmRecord) : null;
  } catch {
    return null;
  }
}

/** The reverse of {@link readRecord}. */
export const writeRecord = (record: HelmRecord): string =>
  Buffer.from(gzipSync(JSON.stringify(record), { level: 9 }).toString('base64')).toString('base64');

/**
 * A record whose release no longer is in the middle of something, as helm itself leaves one that failed.
 * @param description why, shown by `helm history`
 */
export const failedRecord = (record: HelmRecord, description: string): HelmRecord => ({
  ...record,
  info: { ...record.info, status: 'failed', description },
});
