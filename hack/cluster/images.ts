import { existsSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { execaSync } from 'execa';
import { cachePath } from './cache.ts';
import { digestOfImages, type ImageEntry, type ImageSpec, writeImageArchive } from './image.ts';
import { type Report, toolPath } from './tools.ts';

/** References of the images that every cluster holds. */
export interface ClusterImages {
  /** A glibc image with `node`, `cp` and `sh`: stands for `nodeImage`. */
  node: string;
  /** A statically linked `oras` and nothing else: stands for `orasImage`. */
  oras: string;
  /** bash, curl, jq, kubectl and helm 4 in a root without glibc: stands for `runtimeImage`. */
  runtime: string;
  /** The same with helm 3. */
  runtimeHelm3: string;
  /** Keeps a pod's namespaces; the cluster uses it by itself. */
  pause: string;
}

/** The images and the archive that holds them all. */
export interface ImageArchive {
  images: ClusterImages;
  file: string;
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** A name that no registry answers to (RFC 6761): whoever tries to pull has a bug. */
const REGISTRY = 'images.invalid';

/**
 * Makes the images, or finds them in the cache. Needs kubectl, both helms and oras built, and bash-static,
 * busybox-static, curl and jq on this machine.
 */
export async function ensureImages(report: Report): Promise<ImageArchive> {
  const busybox = busyboxLayer();
  const runtime = [busybox, shellLayer(), [program('kubectl', toolPath('kubectl'))]];
  const helm = (generation: 3 | 4): ImageEntry[] => [program('helm', toolPath(`helm${generation}`))];
  const env = { PATH };
  const specs: Record<keyof ClusterImages, Omit<ImageSpec, 'reference'>> = {
    pause: { env, layers: [busybox], entrypoint: ['/bin/busybox', 'sleep', '2147483647'] },
    node: { env, layers: [busybox, nodeLayer()] },
    oras: { env, layers: [[{ path: '/bin/oras', file: toolPath('oras') }]] },
    runtime: { env, layers: [...runtime, helm(4)] },
    runtimeHelm3: { env, layers: [...runtime, helm(3)] },
  };
  const tag = await digestOfImages(Object.values(specs));
  const named = Object.entries(specs).map(([name, spec]): ImageSpec => {
    return { reference: `${REGISTRY}/${name.toLowerCase()}:${tag}`, ...spec };
  });
  const file = cachePath('images', `images-${tag}.tar`);
  if (!existsSync(file)) {
    report('making the container images (once per version of node and the tools)');
    await writeImageArchive(named, file);
    forgetOthers(file);
  }
  const references = Object.keys(specs).map((name, index) => [name, named[index]?.reference]);
  return { images: Object.fromEntries(references) as ClusterImages, file };
}

const program = (name: string, file: string): ImageEntry => ({ path: `/usr/local/bin/${name}`, file });

/** busybox and a link for each of its commands: sh, cp, awk, sed, timeout... */
function busyboxLayer(): ImageEntry[] {
  const busybox = findProgram('busybox', 'busybox-static');
  if (libraries(busybox).length > 0)
    throw new Error(`${busybox} is not statically linked: install busybox-static`);
  const commands = run(busybox, '--list')
    .split('\n')
    .filter((name) => name !== '' && name !== 'busybox');
  return [
    { path: '/bin/busybox', file: busybox },
    ...commands.map((name): ImageEntry => ({ path: `/bin/${name}`, link: 'busybox' })),
    { path: '/tmp', folder: true, mode: 0o1777 },
    { path: '/etc/passwd', text: 'root:x:0:0:root:/root:/bin/sh\n' },
    { path: '/etc/group', text: 'root:x:0:\n' },
  ];
}

/** bash, and curl and jq with libraries of their own out of everybody's sight. */
function shellLayer(): ImageEntry[] {
  return [
    { path: '/bin/bash', file: findProgram('bash-static', 'bash-static') },
    ...['curl', 'jq'].flatMap((name) => secluded(name, findProgram(name, name))),
  ];
}

/** A program, its loader and libraries in a folder, and a script on PATH that starts it with them. */
function secluded(name: string, file: string): ImageEntry[] {
  const folder = `/opt/${name}`;
  const found = libraries(file);
  const loader = found.find(isLoader);
  if (loader === undefined) return [program(name, file)];
  const start = `exec ${folder}/${basename(loader)} --library-path ${folder} ${folder}/${name} "$@"`;
  return [
    { path: `/usr/local/bin/${name}`, mode: 0o755, text: `#!/bin/sh\n${start}\n` },
    { path: `${folder}/${name}`, file },
    ...found.map(
      (library): ImageEntry => ({ path: `${folder}/${basename(library)}`, file: realpathSync(library) }),
    ),
  ];
}

/** This machine's own node, with its libraries where it looks for them. */
function nodeLayer(): ImageEntry[] {
  const node = realpathSync(process.execPath);
  const found = libraries(node);
  return [
    { path: '/usr/local/bin/node', file: node },
    ...found.map((library): ImageEntry => ({ path: library, file: realpathSync(library) })),
  ];
}

/** Paths of the libraries and the loader that a program is started with; none for a static one. */
function libraries(file: string): string[] {
  const listed = execaSync('ldd', [file], { reject: false });
  if (listed.exitCode !== 0) return [];
  const paths = listed.stdout.split('\n').map((line) => /(?:=> |^\s+)(\/\S+) \(0x/.exec(line)?.[1]);
  return paths.filter((path) => path !== undefined);
}

const isLoader = (library: string): boolean => basename(library).startsWith('ld-');

function findProgram(name: string, debianPackage: string): string {
  const folders = ['/bin', '/usr/bin', '/usr/local/bin', ...(process.env['PATH'] ?? '').split(':')];
  const found = folders.map((folder) => join(folder, name)).find(existsSync);
  if (found === undefined)
    throw new Error(`${name} was not found; on Debian and Ubuntu: apt-get install ${debianPackage}`);
  return realpathSync(found);
}

const run = (file: string, ...args: string[]): string => execaSync(file, args).stdout;

/** Archives of other versions: hundreds of megabytes each. A cluster that reads one keeps its open file. */
function forgetOthers(file: string): void {
  for (const name of readdirSync(dirname(file))) {
    if (name.startsWith('images-') && name !== basename(file)) rmSync(join(dirname(file), name));
  }
}
