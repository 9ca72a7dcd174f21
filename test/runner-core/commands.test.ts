import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Command, type CommandResult, createCommands } from '../../src/runner/ports/index.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'commands-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const commands = createCommands({
  mask: (text) => text.replaceAll('hunter2', '***'),
  busy: () => null,
  stopGraceMs: () => 2000,
});

interface Ran extends CommandResult {
  readonly stdout: string[];
  readonly stderr: string[];
}

const run = async (command: Command, signal = new AbortController().signal): Promise<Ran> => {
  const lines = { stdout: [] as string[], stderr: [] as string[] };
  const onLine: Command['onLine'] = (line, stream) => lines[stream].push(line);
  return { ...(await commands.run({ onLine, ...command }, signal)), ...lines };
};

const sh = (script: string, change: Partial<Command> = {}): Command => ({
  argv: ['sh', '-c', script],
  cwd: folder,
  ...change,
});

test('arguments reach the program as they are, without a shell', async () => {
  const args = ['a b', '$HOME', '*', "it's", '', '--x=1', 'ü✓'];
  const { stdout } = await run({ argv: ['printf', '%s\\n', ...args] });
  expect(stdout).toEqual(args);
});

test('a child waits while the log is busy, and nothing of its output is lost', async () => {
  let [waiting, most, asked] = [0, 0, 0];
  const patient = createCommands({
    mask: (text) => text,
    busy: () => {
      asked += 1;
      waiting += 1;
      most = Math.max(most, waiting);
      return new Promise((resolve) => {
        setTimeout(() => {
          waiting -= 1;
          resolve();
        }, 20);
      });
    },
    stopGraceMs: () => 2000,
  });
  let [lines, last] = [0, ''];
  const onLine = (line: string): void => {
    lines += 1;
    last = line;
  };
  await patient.run({ ...sh('seq 300000'), onLine }, new AbortController().signal);
  expect({ lines, last }).toEqual({ lines: 300_000, last: '300000' });
  // Two megabytes come in thirty pieces; no more than what was under way is taken meanwhile.
  expect(asked).toBeGreaterThan(10);
  expect(most).toBeLessThan(5);
});

test('an identity token that came by envFrom reaches no child, unless it is given to it', async () => {
  process.env['COSIGN_IDENTITY_TOKEN'] = 'from the pod';
  try {
    const tell = sh('env | grep COSIGN_ || echo none');
    expect((await run(tell)).stdout).toEqual(['none']);
    const given = { ...tell, env: { COSIGN_IDENTITY_TOKEN: 'its own' } };
    expect((await run(given)).stdout).toEqual(['COSIGN_IDENTITY_TOKEN=its own']);
  } finally {
    delete process.env['COSIGN_IDENTITY_TOKEN'];
  }
});

test('both outputs are told apart, and the tail has the last 40 lines of both', async () => {
  const { stdout, stderr, tail, exitCode } = await run(
    sh('for i in $(seq 60); do echo $i; done; sleep 0.2; echo fault >&2; exit 3'),
  );
  expect(exitCode).toBe(3);
  expect(stdout).toHaveLength(60);
  expect(stderr).toEqual(['fault']);
  expect(tail).toEqual([...Array.from({ length: 39 }, (_, index) => `${index + 22}`), 'fault']);
});

test('secrets are masked in lines and tail', async () => {
  const { stdout, tail } = await run(sh('echo password is hunter2'));
  expect([stdout, tail]).toEqual([['password is ***'], ['password is ***']]);
});

test('a signal that ends the program is told', async () => {
  expect(await run(sh('kill -9 $$'))).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
});

test('environment variables are added and removed; standard input is empty', async () => {
  process.env['COMMANDS_TEST'] = 'inherited';
  const { stdout } = await run(
    sh('echo "$(printenv COMMANDS_TEST || echo unset) $ADDED"; cat', {
      env: { COMMANDS_TEST: undefined, ADDED: 'yes' },
    }),
  );
  delete process.env['COMMANDS_TEST'];
  expect(stdout).toEqual(['unset yes']);
});

test('stdout goes into a file byte for byte when asked', async () => {
  const stdoutFile = join(folder, 'out');
  const { stdout, stderr } = await run(sh("printf 'a\\377\\000b hunter2'; echo seen >&2", { stdoutFile }));
  expect(readFileSync(stdoutFile)).toEqual(Buffer.from('a\u00ff\u0000b hunter2', 'latin1'));
  expect(stdout).toEqual([]);
  expect(stderr).toEqual(['seen']);
});

test('an abort stops the whole process group and rejects with its reason', async () => {
  const abort = new AbortController();
  const reason = new Error('stop');
  // The grandchild speaks: by then both have their traps.
  const script = `trap 'echo settled > done; exit 0' TERM
    sh -c 'trap "echo grandchild > done2; exit 0" TERM; echo ready; while :; do sleep 0.1; done' &
    while :; do sleep 0.1; done`;
  const onLine = (): void => abort.abort(reason);
  await expect(run(sh(script, { onLine }), abort.signal)).rejects.toBe(reason);
  expect(existsSync(join(folder, 'done'))).toBe(true);
  expect(existsSync(join(folder, 'done2'))).toBe(true);
});

test('what a program leaves behind ends with it, also when it never falls silent', async () => {
  const { exitCode, stdout } = await run(
    sh(`(trap 'touch stopped; exit' TERM; while :; do echo still here; sleep 0.2; done) & echo done`),
  );
  expect(exitCode).toBe(0);
  expect(stdout).toContain('done');
  expect(existsSync(join(folder, 'stopped'))).toBe(true);
});

test('what is aborted before it begins is never started', async () => {
  const reason = new Error('stop');
  await expect(run(sh('touch started'), AbortSignal.abort(reason))).rejects.toBe(reason);
  expect(existsSync(join(folder, 'started'))).toBe(false);
});

test('a program that is nowhere is missing from the image', async () => {
  await expect(run({ argv: ['no-such-tool'] })).rejects.toMatchObject({
    code: 'ToolMissing',
    message: expect.stringMatching(/^no-such-tool is not in the image \(PATH is .+\)$/),
    hint: expect.stringContaining('no-such-tool'),
  });
  await expect(run({ argv: ['/no/such/tool'] })).rejects.toMatchObject({ code: 'ToolMissing' });
});

test('a script whose interpreter is nowhere is said to be that', async () => {
  const file = join(folder, 'script');
  writeFileSync(file, '#!/no/such/interpreter\n', { mode: 0o755 });
  await expect(run({ argv: [file] })).rejects.toMatchObject({
    code: 'ToolMissing',
    message: expect.stringContaining('interpreter'),
  });
});

/** The beginning of an ELF file for some machine, little endian. */
const elf = (machine: number): Buffer => {
  const head = Buffer.alloc(64);
  head.write('\u007fELF', 'latin1');
  head.set([2, 1, 1], 4);
  head.writeUInt16LE(2, 16);
  head.writeUInt16LE(machine, 18);
  return head;
};

test.each([
  [
    'of another CPU kind',
    elf(process.arch === 'arm64' ? 62 : 183),
    0o755,
    /built for (arm64|amd64), this node is (amd64|arm64)/,
  ],
  ['that is an error page', Buffer.from('<html>not found'), 0o755, /begins with "<html>not found"/],
  ['that is empty', Buffer.alloc(0), 0o755, /is empty/],
  ['of other bytes', Buffer.from('1f8b0800', 'hex'), 0o755, /begins with the bytes 1f8b0800/],
  ['that may not be executed', Buffer.from('#!/bin/sh\n'), 0o644, /may not be executed/],
])('a file %s is not runnable, and the message says why', async (_, content, mode, message) => {
  const file = join(folder, 'program');
  writeFileSync(file, content, { mode });
  await expect(run({ argv: [file] })).rejects.toMatchObject({
    code: 'BinaryNotRunnable',
    message: expect.stringMatching(message),
  });
});

test('arguments beyond what the kernel takes are refused as such', async () => {
  const args = Array.from({ length: 200 }, () => 'x'.repeat(100_000));
  await expect(run({ argv: ['true', ...args] })).rejects.toMatchObject({ code: 'RunSpecInvalid' });
});
