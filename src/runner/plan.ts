import { join } from 'node:path';
import { RunError, type RunSpec } from '../contract/index.ts';
import type { PodPaths } from './paths.ts';
import type {
  BundleStep,
  DeployStep,
  DownloadStep,
  PackStep,
  PlannedStep,
  RecipeStep,
  RecipeTarget,
  VerifyStep,
} from './planned.ts';

/** What a plan needs to know of the pod it runs in. */
export interface Host {
  readonly arch: 'amd64' | 'arm64';
  /** The only writable folder. */
  readonly work: string;
  /** Docker config that the data pack's Secret is mounted as. */
  readonly packAuthFile: string;
  /** The `oras` that the init container handed over. */
  readonly oras: string;
}

/**
 * Describes the pod the runner is in.
 * @param processArch `process.arch`
 * @param paths the contract's paths as this process sees them
 * @throws RunError `BinaryNotRunnable` on a CPU kind for which aicr is not released
 */
export function podHost(processArch: string, paths: PodPaths): Host {
  const arch = processArch === 'x64' ? 'amd64' : processArch === 'arm64' ? 'arm64' : null;
  if (arch === null) {
    throw new RunError(
      'BinaryNotRunnable',
      `aicr is not released for this node's CPU kind (${processArch})`,
      {
        hint: 'Let the installer run on an amd64 or arm64 node: job.nodeSelector with kubernetes.io/arch.',
      },
    );
  }
  return {
    arch,
    work: paths.workDir,
    packAuthFile: join(paths.packAuthDir, paths.dockerConfigFile),
    oras: join(paths.runnerDir, 'oras'),
  };
}

/**
 * Turns what shall be done into the ordered list of steps, with every argument list written out.
 * @throws RunError `BinaryNotRunnable` when aicrArch names another CPU kind than the node's, `RunSpecInvalid` when
 *   aicrSource.baseUrl cannot be used
 */
export function plan(spec: RunSpec, host: Host): readonly PlannedStep[] {
  const files = filesIn(host.work);
  const steps: PlannedStep[] = [planDownload(spec, host, files)];
  if (spec.pack.ref !== '') steps.push(planPack(spec, host, files));
  steps.push(planRecipe(spec, files), planBundle(spec, files), planVerify(files), planDeploy(spec, files));
  return steps;
}

interface Files {
  readonly aicr: string;
  readonly pack: string;
  readonly packDigest: string;
  readonly recipe: string;
  readonly bundle: string;
}

const filesIn = (work: string): Files => ({
  aicr: join(work, 'aicr', 'aicr'),
  pack: join(work, 'pack'),
  packDigest: join(work, 'pack.digest'),
  recipe: join(work, 'recipe.yaml'),
  bundle: join(work, 'bundle'),
});

function planDownload(spec: RunSpec, host: Host, files: Files): DownloadStep {
  const { version, arch: wanted, baseUrl } = spec.aicr;
  if (wanted !== 'auto' && wanted !== host.arch) {
    throw new RunError(
      'BinaryNotRunnable',
      `aicrArch is ${wanted}, but the pod landed on a node of kind ${host.arch}: that aicr cannot run here`,
      {
        hint: `Set aicrArch to auto (the default), or steer the installer with job.nodeSelector kubernetes.io/arch: ${wanted}.`,
      },
    );
  }
  checkBaseUrl(baseUrl);
  const archiveName = `aicr_${version.replace(/^v/, '')}_linux_${host.arch}.tar.gz`;
  return {
    name: 'download',
    does: `download aicr ${version} (linux/${host.arch}) from ${baseUrl}`,
    version,
    arch: host.arch,
    archiveName,
    archiveUrl: `${baseUrl}/${version}/${archiveName}`,
    checksumsUrl: `${baseUrl}/${version}/aicr_checksums.txt`,
    pin: spec.aicr.sha256[host.arch],
    binary: files.aicr,
  };
}

/** A user name in a URL would be shown in logs and is refused by Node's fetch; a query would swallow the file name. */
function checkBaseUrl(baseUrl: string): void {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  const fault =
    url === null
      ? 'is not a URL'
      : url.username !== '' || url.password !== ''
        ? 'holds a user name or password'
        : url.search !== '' || url.hash !== ''
          ? 'holds a query or fragment'
          : null;
  if (fault === null) return;
  throw new RunError('RunSpecInvalid', `aicrSource.baseUrl ${fault}`, {
    hint: 'Give the folder above the release tag, as https://mirror.example/aicr/releases/download.',
  });
}

function planPack(spec: RunSpec, host: Host, files: Files): PackStep {
  const { ref, plainHTTP, insecureTLS, secret } = spec.pack;
  const as = secret === '' ? 'anonymously' : `with Secret ${secret}`;
  return {
    name: 'pack',
    does: `pull data pack ${ref} ${as}`,
    ref,
    plainHTTP,
    insecureTLS,
    secret,
    namespace: spec.release.namespace,
    secretFile: host.packAuthFile,
    oras: host.oras,
    dir: files.pack,
    digestFile: files.packDigest,
  };
}

function planRecipe(spec: RunSpec, files: Files): RecipeStep {
  const criteria = statedCriteria(spec);
  const argv: [string, ...string[]] = [files.aicr, 'recipe'];
  for (const [name, value] of Object.entries(criteria)) argv.push(`--${name}`, value);
  argv.push(
    ...dataArgs(spec, files),
    '--output',
    files.recipe,
    ...split(spec.recipe.flags),
    ...spec.recipe.args,
  );
  const asked = Object.entries(criteria).map(([name, value]) => `${name}=${value}`);
  return {
    name: 'recipe',
    does: `resolve the recipe for ${asked.length === 0 ? "the data pack's own criteria" : asked.join(', ')}`,
    argv,
    file: files.recipe,
    target: recipeTarget(spec),
    version: spec.aicr.version,
    criteria,
    packRef: spec.pack.ref,
    packDigestFile: files.packDigest,
  };
}

/** Each criterion in aicr's own order, without those that are empty. */
function statedCriteria(spec: RunSpec): Record<string, string> {
  const { service, accelerator, intent, os, platform } = spec.criteria;
  const all = { service, accelerator, intent, os, platform };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

/** What `environment.preinstalledDriver` means: aicr refuses a bundle in which one of the three is missing. */
const PREINSTALLED_DRIVER = [
  'gpuoperator:driver.enabled=false',
  'dradriver:nvidiaDriverRoot=/',
  'nv-sentinel:labeler.assumeDriverInstalled=true',
];

function planBundle(spec: RunSpec, files: Files): BundleStep {
  const { preinstalledDriver, storageClass, flags, args } = spec.bundle;
  const argv: [string, ...string[]] = [files.aicr, 'bundle', '--recipe', files.recipe];
  argv.push(...dataArgs(spec, files), '--deployer', 'helm', '--output', files.bundle);
  if (preinstalledDriver) argv.push(...PREINSTALLED_DRIVER.flatMap((value) => ['--set', value]));
  if (storageClass !== '') argv.push('--storage-class', storageClass);
  argv.push(...split(flags), ...args);
  return {
    name: 'bundle',
    does: 'render the recipe into a bundle of Helm releases',
    argv,
    dir: files.bundle,
    target: recipeTarget(spec),
  };
}

const planVerify = (files: Files): VerifyStep => ({
  name: 'verify',
  does: "check every file of the bundle against the bundle's checksums",
  argv: [files.aicr, 'verify', files.bundle],
  dir: files.bundle,
});

function planDeploy(spec: RunSpec, files: Files): DeployStep {
  const flags = [...split(spec.deploy.flags), ...spec.deploy.args];
  return {
    name: 'deploy',
    does: `run the bundle's deploy.sh${flags.length === 0 ? '' : ` with ${flags.join(' ')}`}`,
    argv: ['bash', join(files.bundle, 'deploy.sh'), ...flags],
    dir: files.bundle,
    bestEffort: flags.includes('--best-effort'),
    rightsRequired: spec.rbac.clusterRole === 'cluster-admin',
    clusterRole: spec.rbac.clusterRole,
  };
}

const dataArgs = (spec: RunSpec, files: Files): readonly string[] =>
  spec.pack.ref === '' ? [] : ['--data', files.pack];

const recipeTarget = (spec: RunSpec): RecipeTarget => ({
  configMap: spec.recipe.configMap,
  release: spec.release.name,
  namespace: spec.release.namespace,
});

/** Splits a legacy `*Flags` string where a shell would, but without quoting or globs. */
const split = (flags: string): readonly string[] =>
  flags.split(/[ \t\r\n\f\v]+/).filter((word) => word !== '');
