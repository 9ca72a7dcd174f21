/**
 * Asks npm's registry about the version that a packed npm package has, and prints `absent`, or `same` when just these
 * bytes are there already (a release that is run again). Another package under that version, or no answer, fails.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

/**
 * @param archive path of the .tgz that npm pack wrote
 * @param registry its web address
 * @throws Error when the registry has another package of this version, or did not answer
 */
export async function stateOnNpm(archive: string, registry: string): Promise<'absent' | 'same'> {
  const { stdout } = await execa('tar', ['xzOf', archive, 'package/package.json']);
  const { name, version } = JSON.parse(stdout) as { name: string; version: string };
  const url = `${registry.replace(/\/$/, '')}/${name}/${version}`;
  const response = await fetch(url);
  if (response.status === 404) return 'absent';
  if (!response.ok) throw new Error(`${url}: HTTP ${response.status}`);
  const { dist } = (await response.json()) as { dist: { integrity: string } };
  const integrity = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  if (dist.integrity === integrity) return 'same';
  throw new Error(`${url} is published already, with other bytes than ${archive}; raise the version`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [archive = '', registry = 'https://registry.npmjs.org'] = process.argv.slice(2);
  await stateOnNpm(archive, registry).then(console.log, (error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
