import { join } from 'node:path';
import { callApi } from './api.ts';
import type { Connection } from './cluster.ts';
import { type ControlPlane, startControlPlane } from './controlplane.ts';
import { Daemons } from './daemons.ts';
import { prepareHome } from './handle.ts';
import { ensureImages } from './images.ts';
import { type Access, writeKubeconfig } from './kubeconfig.ts';
import { createNetwork, networkNames } from './network.ts';
import { type NodeOptions, startContainerd, startNode, trustRegistry } from './node.ts';
import { startServices } from './services.ts';
import { type Report, toolPath } from './tools.ts';

/** Tools that a cluster of components is made of, in the order in which they are built when missing. */
export const COMPONENT_TOOLS = [
  'oras',
  'etcd',
  'kubectl',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
  'kube-proxy',
] as const;

/**
 * Starts Kubernetes' own programs in a network namespace: Debian or Ubuntu, root, no Docker.
 * @param folder the cluster's folder, with its state in it
 * @param id from the state
 */
export async function startComponents(folder: string, id: string, report: Report): Promise<Connection> {
  const archive = await ensureImages(report);
  report('starting the control plane, containerd and the registries');
  const network = createNetwork(networkNames(id));
  const daemons = new Daemons(folder);
  const node: NodeOptions = {
    folder,
    id,
    name: 'node',
    daemons,
    network,
    pauseImage: archive.images.pause,
  };
  const [plane, , services] = await Promise.all([
    startControlPlane({
      folder,
      daemons,
      netns: network.netns,
      address: network.nodeAddress,
      port: 6443,
      etcdPorts: [2379, 2380],
      serviceCidr: network.serviceCidr,
      apiServiceAddress: network.apiServiceAddress,
      nodeName: node.name,
    }),
    startContainerd(node, archive.file),
    startServices(folder, daemons, network.hostAddress),
  ]);
  for (const { url } of [services.registry, services.openRegistry]) trustRegistry(folder, url);
  startControllers(daemons, network.netns, plane);
  startNode(node, plane);
  report('waiting for the node');
  // A busy machine needs several times the quarter of a minute that it takes otherwise.
  await daemons.ready('kubelet', () => isNodeReady(plane.admin, node.name), 150);
  await daemons.ready('kube-controller-manager', () => hasDefaultAccount(plane.admin));
  prepareHome(folder);
  const kubeconfig = join(folder, 'admin.kubeconfig');
  writeKubeconfig(kubeconfig, plane.admin);
  return {
    kubeconfig,
    address: network.hostAddress,
    node: node.name,
    ...services,
    images: archive.images,
    netns: network.netns,
  };
}

function startControllers(daemons: Daemons, netns: string, plane: ControlPlane): void {
  daemons.start(
    'kube-controller-manager',
    [
      toolPath('kube-controller-manager'),
      `--kubeconfig=${plane.kubeconfigFor('kube-controller-manager')}`,
      `--service-account-private-key-file=${plane.signingKeyFile}`,
      `--root-ca-file=${plane.authority.certificateFile}`,
      '--use-service-account-credentials=true',
      '--leader-elect=false',
    ],
    { netns },
  );
  const kubeconfig = plane.kubeconfigFor('kube-scheduler');
  const argv = [toolPath('kube-scheduler'), `--kubeconfig=${kubeconfig}`, '--leader-elect=false'];
  daemons.start('kube-scheduler', argv, { netns });
}

async function isNodeReady(access: Access, name: string): Promise<boolean> {
  const { body } = await callApi(access, 'GET', `/api/v1/nodes/${name}`);
  const { status } = body as { status?: { conditions?: { type: string; status: string }[] } };
  return status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}

/** Pods cannot be made in a namespace before. */
async function hasDefaultAccount(access: Access): Promise<boolean> {
  return (await callApi(access, 'GET', '/api/v1/namespaces/default/serviceaccounts/default')).status === 200;
}
