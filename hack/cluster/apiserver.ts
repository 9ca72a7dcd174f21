import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { callApi } from './api.ts';
import { startControlPlane } from './controlplane.ts';
import { Daemons } from './daemons.ts';
import { type Access, writeKubeconfig } from './kubeconfig.ts';
import { tieToThisProcess } from './lifetime.ts';
import { freePorts } from './ports.ts';
import { createState } from './state.ts';
import { ensureTools } from './tools.ts';

/** How to reach an API server that was started for tests; plain data. */
export interface ApiServerConnection {
  /** `https://127.0.0.1:<port>` */
  url: string;
  /** Path of the authority's certificate, PEM: what a pod finds as its ServiceAccount's `ca.crt`. */
  caFile: string;
  /** Bearer token of a member of system:masters. */
  adminToken: string;
  /** Path of a kubeconfig for the same. */
  kubeconfig: string;
  /** Folder of its own; gone after stop. */
  folder: string;
}

/** A real API server without nodes: objects, RBAC and admission are real, nothing runs. */
export interface ApiServer extends ApiServerConnection {
  /** Stops it and removes its folder. */
  stop(): void;
}

/**
 * Starts etcd and kube-apiserver on loopback. Takes a few seconds; needs no root. Pods and Jobs can be created as
 * objects, also for ServiceAccounts that do not exist, because no controller makes the default ones.
 * @throws Error with the end of the log of what did not start
 */
export async function startApiServer(): Promise<ApiServer> {
  await ensureTools(['etcd', 'kube-apiserver']);
  const { folder } = createState('apiserver');
  const lifetime = tieToThisProcess(folder);
  try {
    const [port = 0, client = 0, peer = 0] = await freePorts('127.0.0.1', 3);
    const plane = await startControlPlane({
      folder,
      daemons: new Daemons(folder),
      address: '127.0.0.1',
      port,
      etcdPorts: [client, peer],
      serviceCidr: '10.96.0.0/16',
      apiServiceAddress: '10.96.0.1',
      withoutAdmission: ['ServiceAccount'],
    });
    const kubeconfig = join(folder, 'admin.kubeconfig');
    writeKubeconfig(kubeconfig, plane.admin);
    return {
      url: plane.admin.server,
      caFile: plane.authority.certificateFile,
      adminToken: plane.admin.token,
      kubeconfig,
      folder,
      stop: lifetime.stop,
    };
  } catch (error) {
    lifetime.stop();
    throw error;
  }
}

/**
 * A token for a ServiceAccount as the kubelet projects it into a pod; makes namespace and account when missing.
 * @returns the token, valid for an hour; it may do nothing until a binding says so
 */
export async function serviceAccountToken(
  connection: ApiServerConnection,
  namespace: string,
  name: string,
): Promise<string> {
  const ca = readFileSync(connection.caFile, 'utf8');
  const access = { server: connection.url, ca, token: connection.adminToken };
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  await create(access, '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
  });
  await create(access, accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } });
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 3600 },
  };
  const answer = await create(access, `${accounts}/${name}/token`, request);
  return (answer as { status: { token: string } }).status.token;
}

async function create(access: Access, path: string, object: unknown): Promise<unknown> {
  const { status, body } = await callApi(access, 'POST', path, object);
  if (status !== 201 && status !== 409) throw new Error(`POST ${path}: ${status} ${JSON.stringify(body)}`);
  return body;
}
