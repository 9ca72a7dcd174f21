import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { cachePath } from './cache.ts';
import { buildGo, type GoProgram } from './golang.ts';
import { VERSIONS } from './versions.ts';

const [major, minor] = VERSIONS.kubernetes.split('.');
const componentVersion = 'k8s.io/component-base/version';
const kubernetesFlags = [
  `-X ${componentVersion}.gitVersion=v${VERSIONS.kubernetes}`,
  `-X ${componentVersion}.gitMajor=${major}`,
  `-X ${componentVersion}.gitMinor=${minor}`,
].join(' ');

const moduleFolder = (name: string): string => fileURLToPath(new URL(`tools/${name}`, import.meta.url));

const kubernetes = (name: string): { version: string; program: GoProgram } => ({
  version: VERSIONS.kubernetes,
  program: {
    package: `k8s.io/kubernetes/cmd/${name}`,
    ldflags: kubernetesFlags,
    moduleFolder: moduleFolder('kubernetes'),
  },
});

const fromProxy = (
  packagePath: string,
  version: string,
  ldflags = '',
): { version: string; program: GoProgram } => ({
  version,
  program: { package: packagePath, version, ldflags },
});

// Built plainly, Helm 3 believes that it speaks to Kubernetes 1.20 and refuses charts that ask for more.
const helm3Capabilities = 'helm.sh/helm/v3/pkg/chartutil.k8sVersion';
const helm3Flags = `-X ${helm3Capabilities}Major=${major} -X ${helm3Capabilities}Minor=${minor}`;

const TOOLS = {
  kubectl: kubernetes('kubectl'),
  'kube-apiserver': kubernetes('kube-apiserver'),
  'kube-controller-manager': kubernetes('kube-controller-manager'),
  'kube-scheduler': kubernetes('kube-scheduler'),
  kubelet: kubernetes('kubelet'),
  'kube-proxy': kubernetes('kube-proxy'),
  etcd: {
    version: VERSIONS.etcd,
    program: { package: 'go.etcd.io/etcd/server/v3', ldflags: '', moduleFolder: moduleFolder('etcd') },
  },
  helm3: fromProxy('helm.sh/helm/v3/cmd/helm', VERSIONS.helm3, helm3Flags),
  helm314: fromProxy('helm.sh/helm/v3/cmd/helm', VERSIONS.helm314, helm3Flags),
  helm4: fromProxy('helm.sh/helm/v4/cmd/helm', VERSIONS.helm4),
  oras: fromProxy('oras.land/oras/cmd/oras', VERSIONS.oras),
  actionlint: fromProxy('github.com/rhysd/actionlint/cmd/actionlint', VERSIONS.actionlint),
  kind: fromProxy('sigs.k8s.io/kind', VERSIONS.kind),
  'controller-gen': {
    version: VERSIONS.controllerGen,
    program: {
      package: 'sigs.k8s.io/controller-tools/cmd/controller-gen',
      ldflags: '',
      moduleFolder: moduleFolder('crds'),
    },
  },
  registry: fromProxy('github.com/distribution/distribution/v3/cmd/registry', VERSIONS.registry),
} satisfies Record<string, { version: string; program: GoProgram }>;

/** Names of the programs that are built from source and kept in the user's cache folder. */
export type ToolName = keyof typeof TOOLS;

/** Told about slow steps, one line each. */
export type Report = (line: string) => void;

/** Writes progress to standard error, where it does not mix with a command's result. */
export const reportToStderr: Report = (line) => void process.stderr.write(`${line}\n`);

/**
 * Path of a tool, whether or not it has been built yet: `<cache>/bin/<name>-<version>`.
 * @param name the tool
 */
export function toolPath(name: ToolName): string {
  return cachePath('bin', `${name.replace(/^helm\d+$/, 'helm')}-${TOOLS[name].version}`);
}

/**
 * Builds the tools that are not in the cache yet, one after another: each build uses every core by itself.
 * @param names tools wanted
 * @param report told which tool is being built and how long it took
 * @throws Error when Go is missing, too old, or the build fails
 */
export async function ensureTools(
  names: readonly ToolName[],
  report: Report = reportToStderr,
): Promise<void> {
  const missing = names.filter((name) => !existsSync(toolPath(name)));
  for (const [index, name] of missing.entries()) {
    const target = toolPath(name);
    const place = `${index + 1} of ${missing.length}`;
    report(
      `building ${name} ${TOOLS[name].version} from source, ${place} (once; minutes on a small machine)`,
    );
    const start = Date.now();
    await buildGo(TOOLS[name].program, target);
    report(`built ${name} in ${Math.round((Date.now() - start) / 1000)} s: ${target}`);
  }
}

/**
 * Path of a helm; `hack/test` and `hack/try` have built it before, `npx tsx hack/cluster/tools.ts helm3 helm4` does.
 * @param generation Helm's major version
 * @throws Error when it has not been built
 */
export function helmPath(generation: 3 | 4): string {
  const path = toolPath(`helm${generation}`);
  if (existsSync(path)) return path;
  throw new Error(`${path} is missing: run npx tsx hack/cluster/tools.ts helm${generation}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = process.argv.slice(2);
  const unknown = names.filter((name) => !Object.hasOwn(TOOLS, name));
  if (names.length === 0 || unknown.length > 0) {
    reportToStderr(
      `usage: npx tsx hack/cluster/tools.ts NAME...  with NAME one of ${Object.keys(TOOLS).join(', ')}`,
    );
    process.exit(2);
  }
  await ensureTools(names as ToolName[]).catch((error: Error) => {
    reportToStderr(error.message);
    process.exit(1);
  });
  for (const name of names) process.stdout.write(`${toolPath(name as ToolName)}\n`);
}
