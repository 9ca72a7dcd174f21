import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { CertificateAuthority } from './certificates.ts';
import type { Daemons } from './daemons.ts';
import { accepts, freePorts } from './ports.ts';
import { ensureTools, type Report, toolPath } from './tools.ts';

/** A running OCI registry. */
export interface Registry {
  /** `address:port`, the first part of references. */
  host: string;
  /** `http://host` or `https://host` */
  url: string;
  /** True when it speaks plain HTTP. */
  plain: boolean;
  /** Who may read and write; absent when everyone may. */
  login?: { user: string; password: string };
  /** Certificate that a client has to trust, PEM file; absent with plain HTTP. */
  caFile?: string;
}

/** How a registry is started. */
export interface RegistryOptions {
  /** Unique in the cluster; names its log. */
  name: string;
  /** Ask for user and password (they are made up). */
  login: boolean;
  /** TLS with a certificate that nobody trusts by itself. */
  tls: boolean;
}

const DEBIAN_REGISTRY = '/usr/bin/docker-registry';

/** Builds the registry where Debian's is not at hand. */
export async function ensureRegistry(report: Report): Promise<void> {
  if (!existsSync(DEBIAN_REGISTRY)) await ensureTools(['registry'], report);
}

/**
 * Starts a registry with storage of its own on a free port and waits until it answers.
 * @param folder the cluster's folder
 * @param address the address of this machine that pods reach
 */
export async function startRegistry(
  folder: string,
  daemons: Daemons,
  address: string,
  options: RegistryOptions,
): Promise<Registry> {
  const own = join(folder, 'registries', options.name);
  mkdirSync(own, { recursive: true });
  const [port = 0] = await freePorts(address, 1);
  const host = `${address}:${port}`;
  const login = options.login ? await writeLogin(own) : undefined;
  const tls = options.tls ? await writeCertificate(own, address) : undefined;
  const config = {
    version: 0.1,
    log: { level: 'warn', accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: join(own, 'data') }, delete: { enabled: true } },
    http: { addr: host, ...(tls && { tls: { certificate: tls.certificate, key: tls.key } }) },
    ...(login && { auth: { htpasswd: { realm: 'throwaway', path: login.file } } }),
  };
  writeFileSync(join(own, 'config.json'), JSON.stringify(config));
  const binary = existsSync(DEBIAN_REGISTRY) ? DEBIAN_REGISTRY : toolPath('registry');
  const name = `registry-${options.name}`;
  daemons.start(name, [binary, 'serve', join(own, 'config.json')]);
  await daemons.ready(name, async () => await accepts(address, port));
  return {
    host,
    url: `${tls ? 'https' : 'http'}://${host}`,
    plain: tls === undefined,
    ...(login && { login: { user: login.user, password: login.password } }),
    ...(tls && { caFile: tls.caFile }),
  };
}

/**
 * The content of a `kubernetes.io/dockerconfigjson` Secret for a registry.
 * @param password another one than the registry's own, for tests of what happens then
 */
export function dockerConfig(registry: Registry, password = registry.login?.password ?? ''): string {
  const auth = Buffer.from(`${registry.login?.user ?? 'anyone'}:${password}`).toString('base64');
  return JSON.stringify({ auths: { [registry.host]: { auth } } });
}

async function writeLogin(folder: string): Promise<{ user: string; password: string; file: string }> {
  const [user, password] = ['puller', randomBytes(12).toString('hex')];
  const hashed = await execa('htpasswd', ['-niB', user], { input: password, reject: false });
  if (hashed.exitCode !== 0) {
    throw new Error(
      `htpasswd (Debian package apache2-utils) is needed: ${hashed.stderr || hashed.shortMessage}`,
    );
  }
  const file = join(folder, 'htpasswd');
  writeFileSync(file, hashed.stdout.trim());
  return { user, password, file };
}

async function writeCertificate(folder: string, address: string) {
  const authority = await CertificateAuthority.create(join(folder, 'pki'));
  const serving = await authority.issueServer('registry', [address]);
  return { ...serving, caFile: authority.certificateFile };
}
