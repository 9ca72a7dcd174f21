import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { toolPath } from '../../hack/cluster/index.ts';
import { POD } from '../../src/contract/index.ts';

const SCRIPT = 'src/handover/handover.mjs';

/** Stands for the runner: says that it runs, and what it sees. */
const PROGRAM = `
import dns from 'node:dns/promises';
import { spawnSync } from 'node:child_process';
const { address } = await dns.lookup('localhost');
const child = process.argv[2] === undefined ? '' : spawnSync(process.argv[2], ['version'], { encoding: 'utf8' }).stdout;
console.log('runner on ' + process.version + ' finds ' + address + ' ' + child);
`;

/** Somebody else than root needs a user namespace to change the root or to mount. */
const isRoot = process.getuid?.() === 0;

let root = '';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'handover-'));
  chmodSync(root, 0o755);
  for (const folder of [POD.programDir, POD.runnerDir, '/dev', '/bin', '/etc']) {
    mkdirSync(join(root, folder));
  }
  writeFileSync(join(root, POD.programDir, POD.programKey), brotliCompressSync(PROGRAM));
  // The init containers run as somebody else than root.
  chmodSync(join(root, POD.runnerDir), 0o777);
  chmodSync(join(root, 'dev'), 0o777);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const runner = (name: string): string => join(root, POD.runnerDir, name);
const termination = (): string => readFileSync(join(root, POD.terminationMessageFile), 'utf8');

const handOverNode = () => execa(process.execPath, [SCRIPT, 'node', `--root=${root}`], { reject: false });

/** Runs the second init container's command: by what the first one has handed over. */
const handOverOras = (path: string) =>
  execa(
    runner('loader'),
    [
      '--library-path',
      join(root, POD.runnerDir),
      runner('node'),
      runner('handover.mjs'),
      'oras',
      `--root=${root}`,
    ],
    { reject: false, env: { PATH: path } },
  );

test('what is handed over starts in a root file system without a C library, as a user without a name', async () => {
  expect(await handOverNode()).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(process.version),
  });
  copyFileSync(await toolPath('oras'), runner('oras'));
  chmodSync(runner('oras'), 0o755);
  writeFileSync(join(root, 'etc/hosts'), '127.0.0.1 localhost\n');
  const command = [
    '/runner/loader',
    '--library-path',
    '/runner',
    '/runner/node',
    '/runner/runner.mjs',
    '/runner/oras',
  ];
  const as = isRoot
    ? ['chroot', '--userspec=65532:65532']
    : ['unshare', '--user', '--map-root-user', 'chroot'];
  const [file = '', ...args] = [...as, root, ...command];
  const { stdout } = await execa(file, args, {
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    extendEnv: false,
  });
  expect(stdout).toMatch(new RegExp(`^runner on ${process.version} finds 127\\.0\\.0\\.1 Version: +1\\.`));
});

test('an init container that is started again hands over again, and leaves no halves behind', async () => {
  await handOverNode();
  const files = readdirSync(join(root, POD.runnerDir));
  writeFileSync(runner('node'), 'half');
  expect(await handOverNode()).toMatchObject({ exitCode: 0 });
  expect(readdirSync(join(root, POD.runnerDir))).toEqual(files);
  expect(files.filter((name) => name.endsWith('.part'))).toEqual([]);
});

test.each([
  ['is not there', undefined, /no such file or directory, open '.*runner\.mjs\.br'/],
  ['is broken', 'no brotli', /Decompression failed/],
])('a program that %s is an error in log and termination message', async (_, content, message) => {
  const file = join(root, POD.programDir, POD.programKey);
  rmSync(file);
  if (content !== undefined) {
    writeFileSync(file, content);
  }
  const { exitCode, stderr } = await handOverNode();
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(message);
  expect(termination()).toMatch(message);
  expect(stderr).not.toMatch(/^\s+at /m);
});

test('oras is handed over by the Node.js that was', async () => {
  await handOverNode();
  cpSync(await toolPath('oras'), join(root, 'bin/oras'));
  expect(await handOverOras(`/no/where:${join(root, 'bin')}`)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('Version:'),
  });
  expect((await execa(runner('oras'), ['version'])).stdout).toContain('Version:');
});

test('an image without oras is refused, with its PATH', async () => {
  await handOverNode();
  const { exitCode, stderr } = await handOverOras('/no/where');
  expect(exitCode).toBe(1);
  expect(stderr).toContain('orasImage has no oras on its PATH (/no/where)');
  expect(termination()).toContain(stderr.trim());
});

test.each([
  [
    'needs shared libraries',
    () => readFileSync(process.execPath),
    /needs \/.*ld.*, which runtimeImage may not have/,
  ],
  ['is a script', () => '#!/bin/sh\n', /needs \/bin\/sh, which/],
  ['is no program', () => '<html>', /is not a 64-bit Linux program/],
])('an oras that %s is refused', async (_, content, message) => {
  await handOverNode();
  writeFileSync(join(root, 'bin/oras'), content(), { mode: 0o755 });
  const { exitCode, stderr } = await handOverOras(join(root, 'bin'));
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(message);
});

test('a full volume is said to be that', async () => {
  // In a mount namespace of its own: the mount goes with the process.
  const namespaces = isRoot ? ['--mount'] : ['--mount', '--user', '--map-root-user'];
  const script = `mount -t tmpfs -o size=16m none ${root}${POD.runnerDir} && exec ${process.execPath} ${SCRIPT} node --root=${root}`;
  const { exitCode, stderr } = await execa('unshare', [...namespaces, 'sh', '-c', script], { reject: false });
  expect(exitCode).toBe(1);
  expect(stderr).toContain('the volume runner is full');
});

test('without a word on what to hand over it says what it takes', async () => {
  const { exitCode, stderr } = await execa(process.execPath, [SCRIPT, `--root=${root}`], { reject: false });
  expect(exitCode).toBe(1);
  expect(stderr).toContain('node or oras');
});
