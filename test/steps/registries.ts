import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { Daemons } from '../../hack/cluster/daemons.ts';
import { ensureTools, type Registry, toolPath } from '../../hack/cluster/index.ts';
import { tieToThisProcess } from '../../hack/cluster/lifetime.ts';
import { ensureRegistry, startRegistry } from '../../hack/cluster/registry.ts';
import { createState } from '../../hack/cluster/state.ts';

/** Real registries on loopback: open, with a login, and with a certificate that nobody trusts. */
export interface Registries {
  readonly open: Registry;
  readonly guarded: Registry;
  readonly untrusted: Registry;
  readonly stop: () => void;
}

export async function startRegistries(): Promise<Registries> {
  await ensureTools(['oras']);
  await ensureRegistry(() => {});
  const { folder } = createState('apiserver');
  const { stop } = tieToThisProcess(folder);
  const daemons = new Daemons(folder);
  const start = (name: string, login: boolean, tls: boolean): Promise<Registry> =>
    startRegistry(folder, daemons, '127.0.0.1', { name, login, tls });
  return {
    open: await start('open', false, false),
    guarded: await start('guarded', true, false),
    untrusted: await start('untrusted', false, true),
    stop,
  };
}

export const orasPath = (): string => toolPath('oras');

/** Pushes with oras, from inside a folder. @returns the manifest's digest */
export async function push(
  registry: Registry,
  repository: string,
  folder: string,
  ...what: readonly string[]
): Promise<string> {
  const { login } = registry;
  const auth = Buffer.from(`${login?.user}:${login?.password}`).toString('base64');
  const config = join(dirname(folder), 'push-auth.json');
  writeFileSync(config, JSON.stringify({ auths: login === undefined ? {} : { [registry.host]: { auth } } }));
  const flags = ['--registry-config', config, ...(registry.plain ? ['--plain-http'] : ['--insecure'])];
  const argv = ['push', `${registry.host}/${repository}`, ...flags, ...what];
  const { stdout } = await execa(orasPath(), argv, { cwd: folder });
  return /^Digest: (\S+)$/m.exec(stdout)?.[1] ?? '';
}

/** Writes a small data pack. */
export function writePack(folder: string): void {
  mkdirSync(join(folder, 'overlays'), { recursive: true });
  writeFileSync(join(folder, 'registry.yaml'), 'kind: ComponentRegistry\ncomponents: []\n');
  writeFileSync(join(folder, 'overlays', 'acme.yaml'), 'kind: RecipeMetadata\n');
}
