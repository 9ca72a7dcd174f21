import { closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { RunError } from '../../contract/index.ts';

/** CPU kinds by the machine number of their ELF header (https://www.sco.com/developers/gabi/latest/ch4.eheader.html). */
const MACHINES: Readonly<Record<number, string>> = {
  3: '386',
  40: 'arm',
  62: 'amd64',
  183: 'arm64',
  21: 'ppc64le',
  22: 's390x',
  243: 'riscv64',
};

/** Node's names of CPU kinds, as aicr and Kubernetes write them. */
const NODE_ARCH: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386', ppc64: 'ppc64le' };

/** CPU kind of this node as aicr's releases name it. */
export const hostArch = (): string => NODE_ARCH[process.arch] ?? process.arch;

/**
 * Finds a program and makes sure that the kernel can start it. Looked at before the start, because afterwards it is
 * too late: for a file of another CPU kind the C library falls back to running it as a shell script, and what comes
 * out is a syntax error and exit code 2.
 * @param name a path, or a name that is looked up in PATH
 * @returns absolute path
 * @throws RunError ToolMissing, or BinaryNotRunnable that says what is wrong with the file
 */
export async function findExecutable(name: string, path: string, cwd: string): Promise<string> {
  const candidates = name.includes('/')
    ? [resolve(cwd, name)]
    : path.split(delimiter).map((dir) => join(resolve(cwd, dir), name));
  const present = candidates.filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true);
  for (const file of present) {
    if (await isExecutable(file)) {
      checkFormat(file);
      return file;
    }
  }
  const [denied] = present;
  if (denied !== undefined) {
    throw new RunError('BinaryNotRunnable', `${denied} may not be executed`, {
      hint: 'Check that the folder is not mounted noexec and that the file has its executable bit.',
    });
  }
  throw new RunError(
    'ToolMissing',
    `${name} is not in the image${name.includes('/') ? '' : ` (PATH is ${path})`}`,
    {
      hint: `Use a runtimeImage that contains ${name.slice(name.lastIndexOf('/') + 1)}.`,
    },
  );
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    // access(2) also refuses a file on a noexec mount.
    await access(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Refuses what the kernel would refuse with "Exec format error", saying why. */
function checkFormat(file: string): void {
  const head = Buffer.alloc(20);
  let size: number;
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch {
    // Executable but not readable: the kernel can judge it, we cannot.
    return;
  }
  try {
    size = readSync(fd, head, 0, head.length, 0);
  } finally {
    closeSync(fd);
  }
  if (head.toString('latin1', 0, 2) === '#!') {
    return;
  }
  if (head.toString('latin1', 0, 4) !== '\u007fELF' || size < head.length) {
    throw new RunError(
      'BinaryNotRunnable',
      `${file} is not a program: it begins with ${describeStart(head, size)}`,
      {
        hint: 'The file is broken or something else than a Linux program; check where it comes from.',
      },
    );
  }
  const machine = head[5] === 2 ? head.readUInt16BE(18) : head.readUInt16LE(18);
  const kind = MACHINES[machine] ?? `machine ${machine}`;
  if (kind !== hostArch()) {
    throw new RunError('BinaryNotRunnable', `${file} is built for ${kind}, this node is ${hostArch()}`, {
      hint: 'Set aicrArch to auto, or steer the Job to a fitting node with job.nodeSelector.',
    });
  }
}

function describeStart(head: Buffer, size: number): string {
  if (size === 0) {
    return 'nothing (the file is empty)';
  }
  const text = head.toString('latin1', 0, size);
  return /^[\t\n\r -~]+$/.test(text)
    ? JSON.stringify(text)
    : `the bytes ${head.toString('hex', 0, Math.min(size, 8))}`;
}
