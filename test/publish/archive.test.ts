import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { missingBundle, packEvidence } from '../../src/runner/steps/evidence/index.ts';
import { temporaryFolder } from '../steps/context.ts';
import { type Aicr, standIn } from './evidence.ts';

const home = mkdtempSync(join(tmpdir(), 'standin-'));
let aicr: Aicr;
let work: string;
let dir: string;

beforeAll(async () => {
  aicr = await standIn(home);
});
afterAll(() => rmSync(home, { recursive: true }));
beforeEach(async () => {
  work = temporaryFolder();
  dir = join(work, 'evidence');
  await aicr.emit(dir);
});

const pack = (from: string, to: string) => packEvidence(from, join(work, to));
const bytes = (name: string): Buffer => readFileSync(join(work, name));

describe('the packed evidence', () => {
  it('is unpacked and verified by the commands of the spec', async () => {
    await pack(dir, 'evidence.tgz');
    const reader = join(work, 'reader');
    mkdirSync(reader);
    cpSync(join(work, 'evidence.tgz'), join(reader, 'evidence.tgz'));
    const script = 'mkdir -p evidence && tar xzf evidence.tgz -C evidence\naicr evidence verify ./evidence';
    const env = { PATH: `${join(aicr.binary, '..')}:${process.env['PATH']}` };
    expect((await execa('sh', ['-euc', script], { cwd: reader, env })).stdout).toContain('bundle valid');
    expect(
      (await execa('diff', ['-r', join(dir, 'summary-bundle'), join(reader, 'evidence', 'summary-bundle')]))
        .exitCode,
    ).toBe(0);
    expect((await execa('ls', ['-A', join(reader, 'evidence')])).stdout).toBe('summary-bundle');
    // With other modes, publishing what was unpacked would push another digest under the same tag.
    const bundle = join(reader, 'evidence', 'summary-bundle');
    expect(statSync(join(bundle, 'recipe.yaml')).mode & 0o777).toBe(0o600);
    expect(statSync(join(bundle, 'ctrf', 'deployment.json')).mode & 0o777).toBe(0o600);
  });

  it('has the same bytes for the same files, whatever their times and modes', async () => {
    const first = await pack(dir, 'first.tgz');
    const copy = join(work, 'copy');
    cpSync(dir, copy, { recursive: true });
    for (const name of ['recipe.yaml', 'manifest.json']) {
      chmodSync(join(copy, 'summary-bundle', name), 0o755);
      utimesSync(join(copy, 'summary-bundle', name), 1, 1);
    }
    writeFileSync(join(copy, 'pointer.yaml'), 'another pointer');
    expect(await pack(copy, 'second.tgz')).toEqual(first);
    expect(bytes('second.tgz').equals(bytes('first.tgz'))).toBe(true);
    expect(first).toEqual({
      size: bytes('first.tgz').length,
      sha256: createHash('sha256').update(bytes('first.tgz')).digest('hex'),
      odd: [],
    });
  });

  it('lists its files in order, and names neither a time nor a system', async () => {
    const names = ['z', 'b', 'y', 'a', 'm', 'c', 'x', 'k'].map((name) => `summary-bundle/${name}.txt`);
    for (const name of names) writeFileSync(join(dir, name), name);
    await pack(dir, 'evidence.tgz');
    const listed = (await execa('tar', ['tzf', join(work, 'evidence.tgz')])).stdout.split('\n');
    expect(listed).toEqual(expect.arrayContaining(names));
    expect(listed).toEqual(listed.toSorted());
    expect([...bytes('evidence.tgz').subarray(4, 8), bytes('evidence.tgz')[9]]).toEqual([0, 0, 0, 0, 255]);
  });

  it('has other bytes for other files', async () => {
    const { sha256 } = await pack(dir, 'first.tgz');
    writeFileSync(join(dir, 'summary-bundle', 'more.txt'), 'x');
    expect((await pack(dir, 'second.tgz')).sha256).not.toBe(sha256);
  });

  it('takes long and foreign names, and leaves out what is no file', async () => {
    const deep = join(dir, 'summary-bundle', 'd'.repeat(120), 'ü'.repeat(60));
    mkdirSync(deep, { recursive: true });
    writeFileSync(join(deep, 'f.txt'), 'deep');
    symlinkSync('/etc/passwd', join(dir, 'link'));
    expect((await pack(dir, 'evidence.tgz')).odd).toEqual(['link']);
    mkdirSync(join(work, 'out'));
    await execa('tar', ['xzf', join(work, 'evidence.tgz'), '-C', join(work, 'out')]);
    const path = join(work, 'out', 'summary-bundle', 'd'.repeat(120), 'ü'.repeat(60), 'f.txt');
    expect(readFileSync(path, 'utf8')).toBe('deep');
  });

  it('cannot be made of a folder that is not there', async () => {
    await expect(pack(join(work, 'nowhere'), 'x.tgz')).rejects.toThrow('ENOENT');
  });
});

describe('a bundle', () => {
  it('is there when aicr emitted one', async () => {
    expect(await missingBundle(dir)).toBe('');
  });

  it('that is not there, or only in part, is said so', async () => {
    expect(await missingBundle(join(work, 'nowhere'))).toContain('no evidence bundle');
    await execa('rm', [join(dir, 'summary-bundle', 'manifest.json')]);
    expect(await missingBundle(dir)).toContain('incomplete evidence bundle: manifest.json missing');
  });
});
