import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';

/** A certificate for 127.0.0.1 that is its own authority. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export async function makeCertificate(): Promise<Certificate> {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'));
  try {
    const [cert, key] = [join(folder, 'cert'), join(folder, 'key')];
    const names = ['-subj', '/CN=test', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    await execa('openssl', ['req', '-x509', ...kind, ...names, '-keyout', key, '-out', cert]);
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Starts a TLS server on loopback. */
export async function startTls(
  certificate: Certificate,
  answer: RequestListener,
): Promise<{ server: Server; url: string }> {
  const server = createServer(certificate, answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `https://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
