import { existsSync, readdirSync } from 'node:fs';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { Mirror } from '../../hack/cluster/index.ts';
import { RunError } from '../../src/contract/index.ts';
import type { DownloadStep } from '../../src/runner/planned.ts';
import { runStep, type StepOutcome } from '../../src/runner/steps/index.ts';
import { ARCHIVE, aicrScript, archiveOf, layOut } from './archives.ts';
import { type TestContext, temporaryFolder, testContext } from './context.ts';

/** Importing this gives each test of a file a good release on a mirror of its own, and a step that downloads it. */

export const ARCHIVE_PATH = `/v1.2.0/${ARCHIVE}`;
export const CHECKSUMS_PATH = '/v1.2.0/aicr_checksums.txt';

/** Folder that the mirror serves. */
export let root: string;
export let work: string;
/** File that a started aicr leaves behind. */
export let mark: string;
export let archive: Buffer;
export let mirror: Mirror;
export let test: TestContext;

beforeEach(async () => {
  root = temporaryFolder();
  work = temporaryFolder();
  mark = join(work, 'started');
  archive = await archiveOf([
    { name: 'aicr', content: aicrScript('1.2.0', mark) },
    { name: 'aicr-attestation.sigstore.json', content: '{"attests": true}' },
    { name: 'recipe-catalog.sigstore.json', content: '{"catalog": true}' },
  ]);
  layOut(root, archive);
  mirror = await Mirror.start(root, '127.0.0.1');
  test = testContext();
});
afterEach(() => mirror.stop());

const step = (change: Partial<DownloadStep> = {}): DownloadStep => ({
  name: 'download',
  does: 'download aicr',
  version: 'v1.2.0',
  arch: 'amd64',
  archiveName: ARCHIVE,
  archiveUrl: `${mirror.url}${ARCHIVE_PATH}`,
  checksumsUrl: `${mirror.url}${CHECKSUMS_PATH}`,
  pin: '',
  binary: join(work, 'aicr', 'aicr'),
  ...change,
});

export const download = (change?: Partial<DownloadStep>): Promise<StepOutcome> =>
  runStep(step(change), test.context);

/** The RunError that the download ends with; nothing of a failed download may have been started or kept. */
export async function failure(change?: Partial<DownloadStep>): Promise<RunError> {
  const error = await download(change).then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof RunError)) throw error;
  expect(existsSync(mark)).toBe(false);
  const kept = existsSync(join(work, 'aicr')) ? readdirSync(join(work, 'aicr')) : [];
  expect(kept).toEqual([]);
  return error;
}

/** How often the mirror was asked for a path. */
export const requests = (path: string): number =>
  mirror.requests.filter((request) => request.path === path).length;

/** @returns the port on loopback */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
