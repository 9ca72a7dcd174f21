import { expect } from 'vitest';
import type { ReasonCode, RunStatus } from '../../src/contract/index.ts';
import { type Arch, archiveName, hostArch } from '../standin/index.ts';
import { type Assets, publishSpoilt, vouchedArchive } from './archive.ts';
import { expectFailure } from './failure.ts';
import { type Scenario, test } from './scenario.ts';
import { stepStates } from './status.ts';

const HOST = hostArch();
const FOREIGN: Arch = HOST === 'amd64' ? 'arm64' : 'amd64';
/** e_machine of ELF headers, as elf.h has it. */
const MACHINE = { amd64: 62, arm64: 183 } as const;

/** The first bytes of a program for a CPU kind, and nothing behind them. */
function elfHeader(arch: Arch): Buffer {
  const header = Buffer.alloc(64);
  header.write('\x7fELF\x02\x01\x01', 'latin1');
  header.writeUInt16LE(2, 16);
  header.writeUInt16LE(MACHINE[arch], 18);
  return header;
}

interface Spoilt {
  readonly what: string;
  readonly code: ReasonCode;
  readonly spoil?: (assets: Assets, scenario: Scenario) => void | Promise<void>;
  readonly values?: object;
  readonly says: RegExp;
}

const UNFIT: readonly Spoilt[] = [
  {
    what: 'a corrupted archive',
    code: 'ChecksumMismatch',
    spoil: ({ archives }) => {
      const content = Buffer.from(archives.get(HOST) ?? []);
      content.writeUInt8((content.at(-100) ?? 0) ^ 1, content.length - 100);
      archives.set(HOST, content);
    },
    says: /has sha256 [0-9a-f]{64}, but the checksums file says [0-9a-f]{64}/,
  },
  {
    what: 'a checksums file without an entry for the archive',
    code: 'ChecksumsInvalid',
    spoil: (assets) => {
      const others = assets.checksums.replace(/^.*_linux_.*\.tar\.gz\n/gm, '');
      assets.checksums = `${others}${'0'.repeat(64)}  install.sh\n`;
    },
    says: /_linux_(amd64|arm64)\.tar\.gz/,
  },
  {
    what: 'a pin that is not the archive',
    code: 'PinMismatch',
    values: { aicrSha256: { [HOST]: 'a'.repeat(64) } },
    says: new RegExp(`aicrSha256\\.${HOST}`),
  },
];

/** Installs with a spoilt release and expects the run to end before aicr resolves anything. */
async function expectStopped(scenario: Scenario, spoilt: Spoilt): Promise<RunStatus> {
  const { code, spoil, values, says } = spoilt;
  const baseUrl = await publishSpoilt(scenario, (assets) => spoil?.(assets, scenario));
  const release = scenario.release();
  const criteria = { service: 'eks', accelerator: 'h100', intent: 'training' };
  await release.install({ ...criteria, aicrSource: { baseUrl }, ...values });
  const status = await expectFailure(release, code);
  expect(status.message).toMatch(says);
  expect(await release.recipe()).toBeUndefined();
  return status;
}

for (const spoilt of UNFIT) {
  test(`${spoilt.what} stops the run before anything of it is started`, async ({ scenario }) => {
    const status = await expectStopped(scenario, spoilt);
    expect(stepStates(status).slice(0, 2)).toEqual(['download Failed', 'recipe Pending']);
    expect(status.steps[0]?.attempts).toBe(1);
    expect(status.aicr.sha256).toBe('');
  });
}

/** Has the checksums file vouch for an archive that holds this and nothing else. */
const vouchFor =
  (content: Buffer): NonNullable<Spoilt['spoil']> =>
  async (assets, { aicr }) => {
    const { archive, line } = await vouchedArchive(archiveName(aicr.version, HOST), content);
    assets.archives.set(HOST, archive);
    assets.checksums = line;
  };

const NOT_RUNNABLE: readonly Spoilt[] = [
  {
    what: 'an aicr for another CPU kind',
    code: 'BinaryNotRunnable',
    spoil: vouchFor(elfHeader(FOREIGN)),
    says: new RegExp(`${FOREIGN}.*${HOST}`, 's'),
  },
  {
    what: 'an aicr that is no program',
    code: 'BinaryNotRunnable',
    spoil: vouchFor(Buffer.from('not a program\n')),
    says: /aicr/,
  },
];

for (const spoilt of NOT_RUNNABLE) {
  test(`${spoilt.what} is told as such, not as an exec format error`, async ({ scenario }) => {
    const status = await expectStopped(scenario, spoilt);
    expect(stepStates(status).slice(0, 2)).toEqual(['download Failed', 'recipe Pending']);
    expect(status.message).not.toMatch(/exec format|ENOEXEC/i);
  });
}

test('asking for another CPU kind than the node has stops the run before it downloads', async ({
  scenario,
}) => {
  const status = await expectStopped(scenario, {
    what: '',
    code: 'BinaryNotRunnable',
    values: { aicrArch: FOREIGN },
    says: new RegExp(`${FOREIGN}.*${HOST}`, 's'),
  });
  expect(status.steps).toEqual([]);
});
