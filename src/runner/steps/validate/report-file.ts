import { open } from 'node:fs/promises';
import { inWords } from '../../results/index.ts';
import { type Report, readReport } from './ctrf.ts';

/** Larger reports are not read: parsing one takes several times its size in memory. */
const LARGEST_REPORT = 64 * 1024 * 1024;

/** What aicr left as its report. */
export interface LeftReport {
  /** The file's bytes; null when there is none, or it is too large to be read. */
  readonly content: Uint8Array | null;
  readonly report: Report | null;
  /** Why there is no report, as a sentence; empty with one. */
  readonly missing: string;
}

/** Reads the report that aicr wrote; whatever there is or is not, it never rejects. */
export async function readReportFile(file: string): Promise<LeftReport> {
  const none = (missing: string): LeftReport => ({ content: null, report: null, missing });
  try {
    const handle = await open(file, 'r');
    try {
      const { size } = await handle.stat();
      if (size > LARGEST_REPORT) return none(`aicr's report has ${inWords(size)}, too large to be read`);
      const content = await handle.readFile();
      const read = readReport(content);
      return 'unreadable' in read
        ? { content, report: null, missing: read.unreadable }
        : { content, report: read, missing: '' };
    } finally {
      await handle.close();
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return none(
      code === 'ENOENT'
        ? 'aicr wrote no report (ctrf.json)'
        : `aicr's report cannot be read (${code ?? message})`,
    );
  }
}
