import { join } from 'node:path';
import { execa } from 'execa';
import type { Connection } from './cluster.ts';
import { Daemons } from './daemons.ts';
import { prepareHome } from './handle.ts';
import { ensureImages } from './images.ts';
import { startServices } from './services.ts';
import { kindName } from './teardown.ts';
import { type Report, toolPath } from './tools.ts';

/** Tools that are needed beside what kind's node image brings. */
export const KIND_TOOLS = ['kind', 'oras', 'kubectl'] as const;

/** Tells whether a Docker daemon answers; the client alone may be there. */
export async function dockerAnswers(): Promise<boolean> {
  const asked = await execa('docker', ['info'], { reject: false, stdin: 'ignore', timeout: 20_000 });
  return asked.exitCode === 0;
}

/**
 * Starts a cluster by kind. Registries and mirror are processes of this machine on the gateway of kind's network,
 * so this needs Docker's engine on the machine itself, not one in a virtual machine.
 * @param folder the cluster's folder, with its state in it
 * @param id from the state
 */
export async function startKind(folder: string, id: string, report: Report): Promise<Connection> {
  const archive = await ensureImages(report);
  const name = kindName(id);
  const kubeconfig = join(folder, 'admin.kubeconfig');
  report('creating a kind cluster');
  await kind('create', 'cluster', '--name', name, '--kubeconfig', kubeconfig, '--wait', '180s');
  await kind('load', 'image-archive', archive.file, '--name', name);
  const address = await gateway();
  const services = await startServices(folder, new Daemons(folder), address);
  prepareHome(folder);
  return { kubeconfig, address, node: `${name}-control-plane`, ...services, images: archive.images };
}

async function kind(...args: string[]): Promise<void> {
  const done = await execa(toolPath('kind'), args, { reject: false, all: true, stdin: 'ignore' });
  if (done.exitCode !== 0)
    throw new Error(`kind ${args.slice(0, 2).join(' ')}: ${done.all || done.shortMessage}`);
}

async function gateway(): Promise<string> {
  const format = '{{range .IPAM.Config}}{{.Gateway}} {{end}}';
  const { stdout } = await execa('docker', ['network', 'inspect', 'kind', '--format', format]);
  const found = stdout.split(/\s+/).find((address) => /^\d+\.\d+\.\d+\.\d+$/.test(address));
  if (found === undefined) throw new Error(`kind's network has no IPv4 gateway: ${stdout}`);
  return found;
}
