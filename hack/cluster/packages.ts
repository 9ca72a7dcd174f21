import { existsSync, readFileSync } from 'node:fs';
import { execa } from 'execa';
import type { Report } from './tools.ts';

/** Debian packages of the cluster's components, each with a file that tells whether it is installed. */
const PACKAGES: Record<string, string> = {
  containerd: '/usr/bin/containerd',
  runc: '/usr/sbin/runc',
  'containernetworking-plugins': '/usr/lib/cni/ptp',
  'docker-registry': '/usr/bin/docker-registry',
  'apache2-utils': '/usr/bin/htpasswd',
  'bash-static': '/bin/bash-static',
  'busybox-static': '/usr/share/doc/busybox-static',
  iptables: '/usr/sbin/iptables',
  iproute2: '/sbin/ip',
  openssl: '/usr/bin/openssl',
  curl: '/usr/bin/curl',
  jq: '/usr/bin/jq',
};

/** Tells whether this machine is one where packages can be installed: Debian or Ubuntu, and we are root. */
export function canInstallPackages(): boolean {
  return (
    process.getuid?.() === 0 && existsSync('/usr/bin/apt-get') && /^ID(_LIKE)?=.*debian/m.test(osRelease())
  );
}

function osRelease(): string {
  return existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
}

/**
 * Installs what is missing of the cluster's components.
 * @throws Error with apt's last words and the command to try by hand
 */
export async function ensurePackages(report: Report): Promise<void> {
  const missing = Object.keys(PACKAGES).filter((name) => !existsSync(PACKAGES[name] ?? ''));
  if (missing.length === 0) return;
  report(`installing Debian packages: ${missing.join(' ')}`);
  const install = ['install', '--yes', '--no-install-recommends', ...missing];
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await execa('apt-get', ['update'], { env, reject: false, stdin: 'ignore' });
  const done = await execa('apt-get', install, { env, reject: false, stdin: 'ignore', all: true });
  const still = missing.filter((name) => !existsSync(PACKAGES[name] ?? ''));
  if (done.exitCode === 0 && still.length === 0) return;
  const lastWords = (done.all ?? done.shortMessage).split('\n').slice(-8).join('\n');
  throw new Error(`could not install ${still.join(' ')}; try: apt-get ${install.join(' ')}\n${lastWords}`);
}
