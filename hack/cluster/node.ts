import { existsSync, mkdirSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { stringify } from 'yaml';
import type { ControlPlane } from './controlplane.ts';
import type { Daemons } from './daemons.ts';
import type { ClusterNetwork } from './network.ts';
import { controlGroup, controlGroupHierarchies } from './teardown.ts';
import { toolPath } from './tools.ts';

/** The only node of a cluster. */
export interface NodeOptions {
  folder: string;
  id: string;
  name: string;
  daemons: Daemons;
  network: ClusterNetwork;
  pauseImage: string;
}

/** Kernel's number of overlayfs: one overlay cannot lie on another. */
const OVERLAYFS = 0x794c7630;

/**
 * Starts containerd and loads images into it; needs no API server.
 * @param archive OCI archive with the images
 */
export async function startContainerd(options: NodeOptions, archive: string): Promise<void> {
  const { folder, daemons, network } = options;
  writePodNetwork(options);
  mkdirSync(join(folder, 'containerd'), { recursive: true });
  const config = join(folder, 'containerd/config.toml');
  writeFileSync(config, containerdConfig(options));
  daemons.start('containerd', ['/usr/bin/containerd', '--config', config], { netns: network.netns });
  await daemons.ready('containerd', () => existsSync(containerdSocket(folder)));
  const importing = [
    '--namespace',
    'k8s.io',
    'images',
    'import',
    '--snapshotter',
    snapshotter(folder),
    archive,
  ];
  const done = await execa('ctr', ['--address', containerdSocket(folder), ...importing], { reject: false });
  if (done.exitCode !== 0)
    throw new Error(`containerd did not take the images: ${done.stderr || done.shortMessage}`);
}

/** Starts kubelet and kube-proxy; the kubelet registers the node by itself. */
export function startNode(options: NodeOptions, plane: ControlPlane): void {
  const { folder, daemons, network, name } = options;
  for (const root of controlGroupHierarchies()) makeControlGroup(root, controlGroup(options.id));
  const kubelet = join(folder, 'kubelet.yaml');
  writeFileSync(kubelet, stringify(kubeletConfig(options, plane)));
  daemons.start(
    'kubelet',
    [
      toolPath('kubelet'),
      `--config=${kubelet}`,
      `--kubeconfig=${plane.kubeconfigFor('kubelet')}`,
      `--root-dir=${join(folder, 'kubelet')}`,
      `--cert-dir=${join(folder, 'kubelet/pki')}`,
      `--hostname-override=${name}`,
      `--node-ip=${network.nodeAddress}`,
    ],
    { netns: network.netns },
  );
  const proxy = join(folder, 'kube-proxy.yaml');
  writeFileSync(proxy, stringify(proxyConfig(options, plane)));
  daemons.start('kube-proxy', [toolPath('kube-proxy'), `--config=${proxy}`], { netns: network.netns });
}

/**
 * Tells containerd how to reach a registry: over plain HTTP, or with an authority of its own.
 * @param url of the registry
 * @param caFile certificate of the authority, for https
 */
export function trustRegistry(folder: string, url: string, caFile?: string): void {
  const hosts = join(folder, 'containerd/hosts', new URL(url).host);
  mkdirSync(hosts, { recursive: true });
  const authority = caFile === undefined ? '' : `  ca = "${caFile}"\n`;
  writeFileSync(join(hosts, 'hosts.toml'), `server = "${url}"\n[host."${url}"]\n${authority}`);
}

const containerdSocket = (folder: string): string => join(folder, 'containerd/containerd.sock');

const snapshotter = (folder: string): string =>
  statfsSync(folder).type === OVERLAYFS ? 'native' : 'overlayfs';

function containerdConfig({ folder, pauseImage }: NodeOptions): string {
  const own = join(folder, 'containerd');
  return `version = 2
root = "${own}/root"
state = "${own}/state"
[grpc]
address = "${containerdSocket(folder)}"
[plugins."io.containerd.internal.v1.opt"]
path = "${own}/opt"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "${pauseImage}"
# Machines without CAP_SYS_RESOURCE may not lower a process's oom_score_adj, and runc gives up when it may not.
restrict_oom_score_adj = true
# Else they lie in /run/netns, beside everybody's.
netns_mounts_under_state_dir = true
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/usr/lib/cni"
conf_dir = "${folder}/cni"
[plugins."io.containerd.grpc.v1.cri".registry]
config_path = "${own}/hosts"
[plugins."io.containerd.grpc.v1.cri".containerd]
snapshotter = "${snapshotter(folder)}"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
Root = "${own}/runc"
SystemdCgroup = false
`;
}

/** Every pod on a cable of its own to the node, which routes; no bridge that kube-proxy's rules would not see. */
function writePodNetwork({ folder, network }: NodeOptions): void {
  mkdirSync(join(folder, 'cni'), { recursive: true });
  const ranges = [[{ subnet: network.podCidr }]];
  const ipam = {
    type: 'host-local',
    dataDir: join(folder, 'cni-addresses'),
    ranges,
    routes: [{ dst: '0.0.0.0/0' }],
  };
  const plugins = [
    { type: 'ptp', ipMasq: false, ipam },
    { type: 'portmap', capabilities: { portMappings: true } },
  ];
  const list = { cniVersion: '0.4.0', name: network.netns, plugins };
  writeFileSync(join(folder, 'cni/10-pods.conflist'), JSON.stringify(list));
}

function kubeletConfig({ folder, id, network }: NodeOptions, plane: ControlPlane): unknown {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: network.nodeAddress,
    authentication: {
      anonymous: { enabled: false },
      x509: { clientCAFile: plane.authority.certificateFile },
    },
    authorization: { mode: 'Webhook' },
    containerRuntimeEndpoint: `unix://${containerdSocket(folder)}`,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: controlGroup(id),
    failCgroupV1: false,
    failSwapOn: false,
    enforceNodeAllocatable: [],
    // There is no DNS: a name that a pod asks for is refused at once instead of waited for.
    resolvConf: '',
    clusterDomain: 'cluster.local',
    podLogsDir: join(folder, 'pods'),
    volumePluginDir: join(folder, 'kubelet/plugins'),
    // A test machine's disk may be nearly full; the cluster is gone before that matters.
    evictionHard: { 'memory.available': '50Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
    imageGCHighThresholdPercent: 100,
  };
}

function proxyConfig({ network, name }: NodeOptions, plane: ControlPlane): unknown {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    clientConnection: { kubeconfig: plane.kubeconfigFor('kube-proxy') },
    hostnameOverride: name,
    clusterCIDR: network.podCidr,
    mode: 'iptables',
    // The connection table's size belongs to the machine.
    conntrack: { maxPerCore: 0, min: 0 },
  };
}

function makeControlGroup(root: string, group: string): void {
  const folder = join(root, group);
  mkdirSync(folder, { recursive: true });
  // Version 2 hands controllers down one level at a time.
  const control = join(root, 'cgroup.subtree_control');
  const available = join(root, 'cgroup.controllers');
  if (!existsSync(control) || !existsSync(available)) return;
  for (const controller of ['cpu', 'cpuset', 'memory', 'pids', 'io']) {
    try {
      writeFileSync(control, `+${controller}`);
    } catch {
      // Not offered here; the kubelet says which one it misses.
    }
  }
}
