/** Pushing a data pack as users are told to: `oras push` with relative names, from inside the pack's folder. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';

/** Runs a command and hands back its stdout; rejects when it exits with another code than 0. */
export type Run = (command: string, args: readonly string[], options: { cwd: string }) => Promise<string>;

export interface PushPackOptions {
  /** OCI reference with a tag, without a scheme. */
  readonly ref: string;
  /** The pack's folder; its own top entries become the artifact's layers. */
  readonly folder: string;
  /** Path of the oras executable. */
  readonly oras: string;
  readonly plainHTTP?: boolean;
  readonly insecureTLS?: boolean;
  readonly auth?: { readonly username: string; readonly password: string };
  /** Where the command runs, for a registry in a network of its own; on this machine by default. */
  readonly run?: Run;
}

/**
 * Pushes a pack and returns the digest of its manifest, `sha256:...`.
 * @throws when oras fails; the error holds its output
 */
export async function pushPack(options: PushPackOptions): Promise<string> {
  const { ref, folder, oras, auth, run = runHere } = options;
  const config = await mkdtemp(path.join(tmpdir(), 'push-pack-'));
  try {
    const args = [
      'push',
      '--no-tty',
      '--format',
      'json',
      '--artifact-type',
      'application/vnd.acme.aicr-pack',
    ];
    if (options.plainHTTP === true) args.push('--plain-http');
    if (options.insecureTLS === true) args.push('--insecure');
    if (auth !== undefined) {
      const file = path.join(config, 'config.json');
      const token = Buffer.from(`${auth.username}:${auth.password}`).toString('base64');
      // A file and not --password: what stands in argv can be read by every user of the machine.
      await writeFile(file, JSON.stringify({ auths: { [ref.split('/')[0] ?? '']: { auth: token } } }), {
        mode: 0o600,
      });
      args.push('--registry-config', file);
    }
    const entries = (await readdir(folder)).sort();
    const out = await run(oras, [...args, ref, ...entries], { cwd: folder });
    const { digest } = JSON.parse(out) as { digest: string };
    return digest;
  } finally {
    await rm(config, { recursive: true, force: true });
  }
}

const runHere: Run = async (command, args, options) => (await execa(command, args, options)).stdout;
