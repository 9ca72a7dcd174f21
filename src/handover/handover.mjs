// Runs in the init containers and puts into /runner what the main container starts with.
//
//   handover.mjs node   by the Node.js of nodeImage: copies this Node.js with its loader and libraries, and unpacks
//                       the runner beside it
//   handover.mjs oras   by that copy, in orasImage: copies the image's oras
//
// The paths are those of the pod (src/contract/pod.ts); --root=DIR puts another folder before them, for tests.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';

const [what, ...options] = process.argv.slice(2);
const root = (options.find((option) => option.startsWith('--root=')) ?? '').slice('--root='.length);
const PROGRAM = join(root, '/program/runner.mjs.br');
const RUNNER = join(root, '/runner');
const TERMINATION_MESSAGE = join(root, '/dev/termination-log');

/** What a user can mend; anything else is a fault of this script. */
class HandoverError extends Error {}

function handOverNode() {
  checkVersion(process.versions.node);
  const libraries = loadedLibraries();
  const loader = libraries.find((file) => /^ld[-.\w]*\.so\.\d+$/.test(basename(file)));
  if (loader === undefined) {
    throw new HandoverError(
      `nodeImage has a Node.js without a dynamic loader; use an image like node:24-bookworm-slim`,
    );
  }
  copy(process.execPath, join(RUNNER, 'node'));
  copy(loader, join(RUNNER, 'loader'));
  for (const file of [...libraries.filter((file) => file !== loader), ...nameServices(libraries)]) {
    copy(file, join(RUNNER, basename(file)));
  }
  replace(join(RUNNER, 'runner.mjs'), (temporary) => {
    writeFileSync(temporary, brotliDecompressSync(readFileSync(PROGRAM)));
  });
  copy(process.argv[1], join(RUNNER, 'handover.mjs'));

  const started = run(join(RUNNER, 'loader'), ['--library-path', RUNNER, join(RUNNER, 'node'), '--version']);
  if (started.output.trim() !== process.version) {
    throw new HandoverError(
      `the copy of nodeImage's Node.js does not start: ${started.output.trim() || started.ended}`,
    );
  }
  return `handed over Node.js ${process.version} and ${libraries.length} libraries`;
}

/** Node.js before 20.19 lacks what the runner uses. */
function checkVersion(version) {
  const [major, minor] = version.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new HandoverError(`nodeImage has Node.js ${version}; the installer needs 20.19 or newer`);
  }
}

/** Paths of the shared libraries in this process, under the names by which the loader looks for them. */
function loadedLibraries() {
  // Without this, making the report looks up the names of open connections.
  process.report.excludeNetwork = true;
  const { header, sharedObjects } = process.report.getReport();
  if (header.glibcVersionRuntime === undefined) {
    throw new HandoverError(
      `nodeImage is built on another C library than glibc (Alpine?); use a glibc image like node:24-bookworm-slim`,
    );
  }
  return sharedObjects.filter((file) => file.startsWith('/') && existsSync(file));
}

/** glibc before 2.34 loads these only when a host name is looked up. */
function nameServices(libraries) {
  const libc = libraries.find((file) => basename(file) === 'libc.so.6');
  const folder = libc === undefined ? undefined : dirname(libc);
  return folder === undefined
    ? []
    : readdirSync(folder)
        .filter((name) => /^lib(nss_(dns|files)|resolv)\.so\.2$/.test(name))
        .map((name) => join(folder, name))
        .filter((file) => !libraries.includes(file));
}

function handOverOras() {
  const path = process.env.PATH ?? '';
  const found = path
    .split(':')
    .map((folder) => join(folder, 'oras'))
    .find((file) => existsSync(file) && statSync(file).isFile());
  if (found === undefined) {
    throw new HandoverError(
      `orasImage has no oras on its PATH (${path}); use an image like ghcr.io/oras-project/oras`,
    );
  }
  const interpreter = interpreterOf(found);
  if (interpreter !== undefined) {
    throw new HandoverError(
      `${found} of orasImage needs ${interpreter}, which runtimeImage may not have; use an image whose oras is statically linked`,
    );
  }
  const oras = join(RUNNER, 'oras');
  copy(found, oras);
  const started = run(oras, ['version']);
  if (started.status !== 0) {
    throw new HandoverError(
      `${found} of orasImage does not start: ${started.output.trim() || started.ended}`,
    );
  }
  return `handed over oras: ${started.output.trim().split('\n')[0]}`;
}

/** The program that the kernel would start a file with: a script's, or a dynamic ELF file's loader; undefined for a static one. */
function interpreterOf(file) {
  const head = Buffer.alloc(64 * 1024);
  const descriptor = openSync(file, 'r');
  const size = readSync(descriptor, head, 0, head.length, 0);
  closeSync(descriptor);
  if (head.toString('latin1', 0, 2) === '#!') {
    return head.toString('latin1', 2, head.indexOf('\n')).trim();
  }
  if (size < 64 || head.toString('latin1', 0, 4) !== '\u007fELF' || head[4] !== 2 || head[5] !== 1) {
    throw new HandoverError(`${file} of orasImage is not a 64-bit Linux program`);
  }
  // Program headers of an ELF-64 file, little endian: offset at 32, size of one at 54, number at 56; PT_INTERP is 3.
  const offset = Number(head.readBigUInt64LE(32));
  const [each, count] = [head.readUInt16LE(54), head.readUInt16LE(56)];
  for (let at = offset; at < offset + each * count && at + 40 <= size; at += each) {
    if (head.readUInt32LE(at) === 3) {
      const from = Number(head.readBigUInt64LE(at + 8));
      return head.toString('latin1', from, head.indexOf(0, from));
    }
  }
  return undefined;
}

function run(file, args) {
  const { status, signal, error, stdout, stderr } = spawnSync(file, args, {
    encoding: 'utf8',
    timeout: 60_000,
  });
  const ended = error?.message ?? (signal ? `ended by ${signal}` : `exit code ${status}`);
  return { status, ended, output: `${stdout ?? ''}${stderr ?? ''}` };
}

function copy(from, to) {
  replace(to, (temporary) => {
    copyFileSync(from, temporary);
    chmodSync(temporary, 0o755);
  });
}

/** Writes beside the target and renames: a container that is started again never finds half a file. */
function replace(target, write) {
  const temporary = `${target}.part`;
  write(temporary);
  renameSync(temporary, target);
}

function fail(message) {
  console.error(message);
  try {
    writeFileSync(TERMINATION_MESSAGE, `${message}\n`.slice(0, 4096));
  } catch (error) {
    console.error(`the termination message cannot be written: ${error.message}`);
  }
  process.exit(1);
}

try {
  mkdirSync(RUNNER, { recursive: true });
  if (what === 'node') {
    console.log(handOverNode());
  } else if (what === 'oras') {
    console.log(handOverOras());
  } else {
    throw new HandoverError(`say what to hand over: node or oras, not ${what ?? 'nothing'}`);
  }
} catch (error) {
  if (error.code === 'ENOSPC') {
    fail(`the volume runner is full; it needs about 150 MiB (${error.message})`);
  }
  fail(
    error instanceof HandoverError || error.code !== undefined
      ? error.message
      : (error.stack ?? String(error)),
  );
}
