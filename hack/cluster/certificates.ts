import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';

/** Paths of a certificate and its key, both PEM. */
export interface KeyPair {
  certificate: string;
  key: string;
}

/** A certificate authority in a folder, made for one cluster and forgotten with it. */
export class CertificateAuthority {
  readonly #folder: string;
  readonly #ca: KeyPair;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#ca = pair(folder, 'ca');
  }

  /**
   * Makes a new authority.
   * @param folder is created and receives every key and certificate
   * @throws Error when openssl (3.0 or newer) is missing
   */
  static async create(folder: string): Promise<CertificateAuthority> {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // The machine's own configuration would add extensions of its own beside ours.
    writeFileSync(configuration(folder), '[req]\ndistinguished_name = name\n[name]\n');
    const authority = new CertificateAuthority(folder);
    await openssl([
      ...newCertificate(folder, '/CN=throwaway test authority', pair(folder, 'ca')),
      ...extension('basicConstraints=critical,CA:TRUE'),
      ...extension('keyUsage=critical,keyCertSign,digitalSignature'),
    ]);
    return authority;
  }

  /** Path of the authority's certificate, PEM. */
  get certificateFile(): string {
    return this.#ca.certificate;
  }

  /** The authority's certificate, PEM. */
  get certificate(): string {
    return readFileSync(this.#ca.certificate, 'utf8');
  }

  /**
   * Makes a server certificate, valid for two days.
   * @param name file name without ending, and the certificate's common name
   * @param addresses IP addresses and DNS names it is good for
   */
  async issueServer(name: string, addresses: string[]): Promise<KeyPair> {
    const names = addresses.map((address) => `${/^[\d.]+$|:/.test(address) ? 'IP' : 'DNS'}:${address}`);
    return await this.#issue(name, `/CN=${name}`, [
      'extendedKeyUsage=serverAuth',
      `subjectAltName=${names.join(',')}`,
    ]);
  }

  /**
   * Makes a client certificate.
   * @param name file name without ending, and the user's name
   * @param group the user's group
   */
  async issueClient(name: string, group: string): Promise<KeyPair> {
    return await this.#issue(name, `/O=${group}/CN=${name}`, ['extendedKeyUsage=clientAuth']);
  }

  async #issue(name: string, subject: string, extensions: string[]): Promise<KeyPair> {
    const made = pair(this.#folder, name);
    const signedBy = ['-CA', this.#ca.certificate, '-CAkey', this.#ca.key];
    const all = ['basicConstraints=critical,CA:FALSE', ...extensions];
    await openssl([...newCertificate(this.#folder, subject, made), ...signedBy, ...all.flatMap(extension)]);
    return made;
  }
}

/**
 * Makes a key pair for signing ServiceAccount tokens.
 * @param folder where `name.key` and `name.pub` go
 */
export async function createSigningKey(
  folder: string,
  name: string,
): Promise<{ privateKey: string; publicKey: string }> {
  const privateKey = join(folder, `${name}.key`);
  const publicKey = join(folder, `${name}.pub`);
  await openssl(['ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', privateKey]);
  await openssl(['pkey', '-in', privateKey, '-pubout', '-out', publicKey]);
  return { privateKey, publicKey };
}

const pair = (folder: string, name: string): KeyPair => ({
  certificate: join(folder, `${name}.crt`),
  key: join(folder, `${name}.key`),
});

const configuration = (folder: string): string => join(folder, 'openssl.cnf');

const extension = (text: string): string[] => ['-addext', text];

function newCertificate(folder: string, subject: string, files: KeyPair): string[] {
  const newKey = [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-keyout',
    files.key,
  ];
  return [
    'req',
    '-config',
    configuration(folder),
    '-x509',
    ...newKey,
    '-days',
    '2',
    '-subj',
    subject,
    '-out',
    files.certificate,
  ];
}

async function openssl(args: string[]): Promise<void> {
  const done = await execa('openssl', args, { reject: false, stdin: 'ignore' });
  if (done.exitCode !== 0) throw new Error(`openssl ${args[0]}: ${done.stderr || done.shortMessage}`);
}
