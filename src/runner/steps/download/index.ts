import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { RunError } from '../../../contract/index.ts';
import type { StepContext } from '../../context.ts';
import type { DownloadStep } from '../../planned.ts';
import type { StepOutcome } from '../outcome.ts';
import { retry } from '../retry.ts';
import { unpackArchive } from './archive.ts';
import { tryBinary } from './binary.ts';
import { findChecksum } from './checksums.ts';
import { describeMismatch } from './mismatch.ts';
import { fetchFile, fetchText } from './transfer.ts';

const LARGEST_CHECKSUMS_BYTES = 1024 ** 2;
const LARGEST_ARCHIVE_BYTES = 1024 ** 3;

/**
 * Fetches the release's archive, checks it against the checksums file and the pin, and takes aicr out of it.
 * Nothing of the archive is unpacked before its hash is right, and nothing is started before the whole archive was
 * read and found good.
 */
export async function download(step: DownloadStep, context: StepContext): Promise<StepOutcome> {
  const { version, arch, archiveUrl: url } = step;
  context.status.note({ aicr: { version, arch, sha256: '', url } });

  const expected = await expectedHash(step, context);
  const folder = dirname(step.binary);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const archive = join(folder, step.archiveName);
  try {
    const sha256 = await fetchArchive(step, archive, expected, context);
    context.status.note({ aicr: { version, arch, sha256, url } });
    await unpackArchive(archive, step.binary, url);
  } finally {
    await rm(archive, { force: true });
  }
  const says = await tryBinary(step, context);
  const named = step.pin === '' ? 'the checksums file names' : 'the checksums file names and aicrSha256 pins';
  return { message: `aicr ${version} (linux/${arch}) is the archive that ${named}; ${says}` };
}

/** The hash the archive must have. A pin that the checksums file contradicts stops here, before anything is fetched. */
async function expectedHash(step: DownloadStep, context: StepContext): Promise<string> {
  const file = await retry(context, () =>
    fetchText(step.checksumsUrl, LARGEST_CHECKSUMS_BYTES, context, {
      code: 'ChecksumsInvalid',
      hint: 'The release or mirror must offer aicr_checksums.txt beside the archive: check aicrVersion and aicrSource.baseUrl.',
    }),
  );
  const listed = findChecksum(file, step.archiveName, step.checksumsUrl);
  if (step.pin !== '' && step.pin !== listed) {
    throw new RunError(
      'PinMismatch',
      `aicrSha256.${step.arch} pins ${step.pin}, but ${step.checksumsUrl} lists ${listed} for ${step.archiveName}`,
      {
        hint: `If aicrVersion was changed, change aicrSha256.${step.arch} with it; otherwise the release or mirror is not the one that was reviewed.`,
      },
    );
  }
  return listed;
}

async function fetchArchive(
  step: DownloadStep,
  target: string,
  expected: string,
  context: StepContext,
): Promise<string> {
  context.log.info(`downloading ${step.archiveUrl}`);
  const received = await retry(context, () =>
    fetchFile(step.archiveUrl, target, LARGEST_ARCHIVE_BYTES, context, {
      code: 'DownloadFailed',
      hint: 'Check aicrVersion (a release tag that exists) and aicrSource.baseUrl (a mirror must have the same layout).',
    }),
  );
  if (received.sha256 !== expected) throw describeMismatch(step, expected, received);
  context.log.info(`sha256 ${received.sha256} is right (${received.size} bytes)`);
  return received.sha256;
}
