import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { callApi } from './api.ts';
import { CertificateAuthority, createSigningKey } from './certificates.ts';
import type { Daemons } from './daemons.ts';
import { type Access, writeKubeconfig } from './kubeconfig.ts';
import { toolPath } from './tools.ts';

/** Where a control plane listens. */
export interface ControlPlaneOptions {
  folder: string;
  daemons: Daemons;
  netns?: string | undefined;
  /** Address the API server tells others to use; one of this machine or of its namespace. */
  address: string;
  port: number;
  /** Ports of etcd on loopback: for clients, for peers. */
  etcdPorts: [number, number];
  serviceCidr: string;
  apiServiceAddress: string;
  /** Admission plugins to leave out. */
  withoutAdmission?: string[];
  /** Name of the node that may register, if there will be one. */
  nodeName?: string;
}

/** A running etcd and kube-apiserver. */
export interface ControlPlane {
  authority: CertificateAuthority;
  /** Key that signs ServiceAccount tokens. */
  signingKeyFile: string;
  /** As a member of system:masters. */
  admin: Access;
  /** Writes a kubeconfig for one of the cluster's own programs and returns its path. */
  kubeconfigFor(program: ProgramUser): string;
}

const PROGRAMS = ['kube-controller-manager', 'kube-scheduler', 'kube-proxy', 'kubelet'] as const;
export type ProgramUser = (typeof PROGRAMS)[number];

/**
 * Starts etcd and kube-apiserver with RBAC and waits until the API is ready.
 * @throws Error with the end of the log of the program that did not start
 */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { folder, daemons, netns } = options;
  startEtcd(options);
  const pki = join(folder, 'pki');
  const authority = await CertificateAuthority.create(pki);
  const names = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];
  const addresses = [...new Set([options.address, '127.0.0.1', options.apiServiceAddress])];
  const [serving, kubeletClient, signingKey] = await Promise.all([
    authority.issueServer('kube-apiserver', [...addresses, ...names, 'kubernetes.default.svc.cluster.local']),
    authority.issueClient('kube-apiserver-kubelet-client', 'system:masters'),
    createSigningKey(pki, 'service-accounts'),
  ]);
  const users = new Map(PROGRAMS.map((program) => [program as string, newToken()]));
  const admin: Access = {
    server: `https://${options.address}:${options.port}`,
    ca: authority.certificate,
    token: newToken(),
  };
  writeFileSync(join(pki, 'tokens.csv'), tokenFile(admin.token, users, options.nodeName ?? 'none'), {
    mode: 0o600,
  });
  daemons.start(
    'kube-apiserver',
    [
      toolPath('kube-apiserver'),
      `--etcd-servers=http://127.0.0.1:${options.etcdPorts[0]}`,
      `--secure-port=${options.port}`,
      `--bind-address=${netns === undefined ? options.address : '0.0.0.0'}`,
      `--advertise-address=${options.address}`,
      `--service-cluster-ip-range=${options.serviceCidr}`,
      '--authorization-mode=Node,RBAC',
      '--enable-admission-plugins=NodeRestriction',
      `--disable-admission-plugins=${(options.withoutAdmission ?? []).join(',')}`,
      '--allow-privileged=true',
      '--profiling=false',
      `--token-auth-file=${join(pki, 'tokens.csv')}`,
      `--client-ca-file=${authority.certificateFile}`,
      `--tls-cert-file=${serving.certificate}`,
      `--tls-private-key-file=${serving.key}`,
      `--kubelet-client-certificate=${kubeletClient.certificate}`,
      `--kubelet-client-key=${kubeletClient.key}`,
      '--kubelet-preferred-address-types=InternalIP',
      '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
      `--service-account-key-file=${signingKey.publicKey}`,
      `--service-account-signing-key-file=${signingKey.privateKey}`,
      // Where it would write a certificate of its own; it has one.
      `--cert-dir=${pki}`,
    ],
    { netns },
  );
  await daemons.ready(
    'kube-apiserver',
    async () => (await callApi(admin, 'GET', '/readyz')).status === 200,
    90,
  );
  return {
    authority,
    signingKeyFile: signingKey.privateKey,
    admin,
    kubeconfigFor(program) {
      const file = join(folder, `${program}.kubeconfig`);
      writeKubeconfig(file, { ...admin, token: users.get(program) ?? '' });
      return file;
    },
  };
}

function startEtcd({ folder, daemons, netns, etcdPorts: [client, peer] }: ControlPlaneOptions): void {
  mkdirSync(join(folder, 'etcd'), { recursive: true, mode: 0o700 });
  const [clientUrl, peerUrl] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`];
  daemons.start(
    'etcd',
    [
      toolPath('etcd'),
      '--name=throwaway',
      `--data-dir=${join(folder, 'etcd')}`,
      `--listen-client-urls=${clientUrl}`,
      `--advertise-client-urls=${clientUrl}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=throwaway=${peerUrl}`,
      // Nothing here has to survive a power cut.
      '--unsafe-no-fsync',
      '--log-level=warn',
    ],
    { netns },
  );
}

/** Static tokens: a user, an id and groups a line; see "Static token file" in the Kubernetes documentation. */
function tokenFile(adminToken: string, programs: Map<string, string>, nodeName: string): string {
  const lines = [`${adminToken},admin,admin,"system:masters"`];
  for (const [program, token] of programs) {
    lines.push(
      program === 'kubelet'
        ? `${token},system:node:${nodeName},${nodeName},"system:nodes"`
        : `${token},system:${program},${program},""`,
    );
  }
  return `${lines.join('\n')}\n`;
}

const newToken = (): string => randomBytes(24).toString('base64url');
