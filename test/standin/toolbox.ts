import { existsSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { execa } from 'execa';
import { helmPath, toolPath } from '../../hack/cluster/index.ts';

const BUSYBOX = '/usr/bin/busybox';

/** A PATH as in the runtime image: bash, busybox, kubectl and helm, and nothing else where busybox is at hand. */
export async function toolbox(dir: string, generation: 3 | 4): Promise<string> {
  const folder = path.join(dir, `tools-${generation}`);
  if (existsSync(folder)) return folder;
  await mkdir(folder);
  await symlink(helmPath(generation), path.join(folder, 'helm'));
  await symlink(toolPath('kubectl'), path.join(folder, 'kubectl'));
  await symlink('/bin/bash', path.join(folder, 'bash'));
  if (!existsSync(BUSYBOX)) return `${folder}:${process.env['PATH']}`;
  const { stdout } = await execa(BUSYBOX, ['--list']);
  const applets = stdout.split('\n').filter((name) => !existsSync(path.join(folder, name)));
  await Promise.all(applets.map((name) => symlink(BUSYBOX, path.join(folder, name))));
  return folder;
}
