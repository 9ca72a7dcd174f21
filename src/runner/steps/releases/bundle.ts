import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { helmTimeout } from './timeout.ts';

/** A Helm release that a bundle's deploy.sh will install or upgrade. */
export interface BundledRelease {
  readonly name: string;
  readonly namespace: string;
  /** What `--set <component>:enabled=false` switches it off by; a component may have more than one release. */
  readonly component: string;
  /** How long helm may work on it, in milliseconds. */
  readonly timeoutMs: number;
}

const FOLDER = /^\d{3,}-(.+)$/;
/** Releases that aicr puts beside the component's own. */
const BESIDE = /-(?:pre|post|readiness)$/;
const NAMESPACE = /(?:--namespace|\s-n)[= ]["']?([a-z0-9-]+)/;

/**
 * Reads which Helm releases a bundle of the helm deployer is made of, in the order of deployment: from
 * bundle-info.yaml (aicr v0.22 and later), otherwise from its numbered folders as deploy.sh does.
 * @param dir the bundle
 * @returns none when it is neither of the two layouts
 */
export async function readBundle(dir: string): Promise<readonly BundledRelease[]> {
  const deployScript = await textOf(join(dir, 'deploy.sh'));
  const listed = listedReleases(await textOf(join(dir, 'bundle-info.yaml')));
  const releases = listed.length > 0 ? listed : await numberedReleases(dir);
  const read: BundledRelease[] = [];
  for (const { name, namespace, component, path } of releases) {
    const installScript = await textOf(join(dir, path, 'install.sh'));
    const found = namespace || NAMESPACE.exec(installScript)?.[1];
    if (found === undefined) continue;
    const timeoutMs = helmTimeout(installScript, deployScript);
    read.push({ name, namespace: found, component, timeoutMs });
  }
  return read;
}

interface Listed {
  readonly name: string;
  /** Empty: install.sh tells. */
  readonly namespace: string;
  readonly component: string;
  /** Folder in the bundle. */
  readonly path: string;
}

/** The releases of bundle-info.yaml; none when it is not what it should be. */
function listedReleases(text: string): readonly Listed[] {
  let info: unknown;
  try {
    info = parse(text, { logLevel: 'error' });
  } catch {
    // It is no YAML.
  }
  const releases = (info as { layout?: { releases?: unknown } | null } | null | undefined)?.layout?.releases;
  if (!Array.isArray(releases)) return [];
  return releases.flatMap((release: Readonly<Record<string, unknown>> | null): Listed[] => {
    const { name, namespace, component, path } = release ?? {};
    if (typeof name !== 'string' || typeof namespace !== 'string' || typeof path !== 'string') return [];
    return [{ name, namespace, component: typeof component === 'string' ? component : name, path }];
  });
}

async function numberedReleases(dir: string): Promise<readonly Listed[]> {
  const entries = await readdir(dir);
  // Stryker disable next-line MethodExpression: Node.js happens to sort them, and does not promise it
  const numbered = entries.sort().flatMap((path) => {
    const name = FOLDER.exec(path)?.[1];
    return name === undefined ? [] : [{ name, path }];
  });
  return numbered.map(({ name, path }): Listed => {
    const owner = name.replace(BESIDE, '');
    const beside = numbered.some((other) => other.name === owner);
    return { name, namespace: '', component: beside ? owner : name, path };
  });
}

/** Empty for a file that is not there. */
const textOf = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '');
