import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachePath } from '../../cluster/cache.ts';
import { buildGo } from '../../cluster/golang.ts';
import { reportToStderr } from '../../cluster/tools.ts';

const folder = fileURLToPath(new URL('../render', import.meta.url));

/** Helm 3 takes the newest Kubernetes it knows from its build, as in hack/cluster/tools.ts. */
const capabilities = 'helm.sh/helm/v3/pkg/chartutil.k8sVersion';

/**
 * Builds the renderer, once for each state of its sources.
 * @param kubernetes version that Helm 3 shall believe in, `1.36.3`
 * @returns path of the program
 */
export const buildRenderer = async (kubernetes: string): Promise<string> => {
  const [major = '', minor = ''] = kubernetes.split('.');
  const hash = createHash('sha256').update(kubernetes);
  for (const name of readdirSync(folder).sort()) hash.update(readFileSync(path.join(folder, name)));
  const target = cachePath('bin', `mutation-render-${hash.digest('hex').slice(0, 16)}`);
  if (existsSync(target)) return target;
  reportToStderr('building the renderer of hack/mutation from source (once; minutes on a small machine)');
  const ldflags = `-X ${capabilities}Major=${major} -X ${capabilities}Minor=${minor}`;
  await buildGo({ package: '.', moduleFolder: folder, ldflags }, target);
  return target;
};
