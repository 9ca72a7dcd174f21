import { execaSync } from 'execa';
import { inNamespace } from './daemons.ts';

/** Addresses of a cluster's network namespace; everything lies in one /24 of this machine's own. */
export interface ClusterNetwork {
  /** Name of the network namespace. */
  netns: string;
  /** The host's end of the cable into the namespace. */
  hostInterface: string;
  /** Address of this machine that nodes and pods reach. */
  hostAddress: string;
  nodeAddress: string;
  podCidr: string;
  serviceCidr: string;
  /** Address of the API server's Service, the first of serviceCidr. */
  apiServiceAddress: string;
}

/** Names of a cluster's namespace and interface, known before either exists. @param id short and unique */
export function networkNames(id: string): Pick<ClusterNetwork, 'netns' | 'hostInterface'> {
  return { netns: `aicr-${id}`, hostInterface: `aicr-${id}` };
}

/**
 * Makes a network namespace that this machine can reach and that reaches nothing but this machine: there is no
 * default route in it and no address translation outside.
 * @param names from `networkNames`
 * @throws Error when no /24 of 10.213.0.0/16 is free
 */
export function createNetwork(names: Pick<ClusterNetwork, 'netns' | 'hostInterface'>): ClusterNetwork {
  const { netns, hostInterface } = names;
  ip('netns', 'add', netns);
  ip('link', 'add', hostInterface, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', netns);
  ip('link', 'set', hostInterface, 'up');
  const prefix = claimSubnet(hostInterface);
  const network: ClusterNetwork = {
    ...names,
    hostAddress: `${prefix}.1`,
    nodeAddress: `${prefix}.2`,
    podCidr: `${prefix}.128/25`,
    // Only routed inside the namespace, so every cluster may have the same.
    serviceCidr: '10.96.0.0/16',
    apiServiceAddress: '10.96.0.1',
  };
  ip('address', 'add', `${network.hostAddress}/32`, 'dev', hostInterface);
  inside(network, 'link', 'set', 'lo', 'up');
  inside(network, 'address', 'add', `${network.nodeAddress}/25`, 'dev', 'eth0');
  inside(network, 'link', 'set', 'eth0', 'up');
  // A packet to a Service needs some route before kube-proxy's rules see it.
  inside(network, 'route', 'add', network.serviceCidr, 'dev', 'eth0');
  ip('route', 'add', network.podCidr, 'via', network.nodeAddress, 'dev', hostInterface, 'onlink');
  return network;
}

/** Takes the namespace and its cable away; what is already gone is no error. */
export function removeNetwork(names: Pick<ClusterNetwork, 'netns' | 'hostInterface'>): void {
  execaSync('ip', ['link', 'delete', names.hostInterface], { reject: false });
  execaSync('ip', ['netns', 'delete', names.netns], { reject: false });
}

/** Pids of all processes in a network namespace. */
export function pidsInside(netns: string): number[] {
  const listed = execaSync('ip', ['netns', 'pids', netns], { reject: false });
  return listed.exitCode === 0 ? listed.stdout.split('\n').filter(Boolean).map(Number) : [];
}

/**
 * Finds a /24 that nothing on this machine uses. The kernel refuses a second route to the same network, which makes
 * adding the route the claim: it holds against other clusters starting at this moment and ends with the interface.
 */
function claimSubnet(hostInterface: string): string {
  for (let third = 1; third < 255; third++) {
    const prefix = `10.213.${third}`;
    const used = execaSync('ip', ['route', 'show', 'root', `${prefix}.0/24`], { reject: false }).stdout;
    if (used.trim() !== '') continue;
    const claim = execaSync('ip', ['route', 'add', `${prefix}.0/24`, 'dev', hostInterface], {
      reject: false,
    });
    if (claim.exitCode === 0) return prefix;
  }
  throw new Error('no free network for the cluster: 10.213.1.0/24 to 10.213.254.0/24 are all in use');
}

function ip(...args: string[]): void {
  const done = execaSync('ip', args, { reject: false });
  if (done.exitCode !== 0) throw new Error(`ip ${args.join(' ')}: ${done.stderr || done.shortMessage}`);
}

function inside(network: ClusterNetwork, ...args: string[]): void {
  const [file = '', ...rest] = inNamespace(['ip', ...args], network.netns);
  const done = execaSync(file, rest, { reject: false });
  if (done.exitCode !== 0) throw new Error(`ip ${args.join(' ')} in ${network.netns}: ${done.stderr}`);
}
