import { join } from 'node:path';
import { RunError, type RunSpec } from '../../contract/index.ts';
import type {
  BundleStep,
  DeployStep,
  DownloadStep,
  PackStep,
  RecipeStep,
  ReleasesStep,
  VerifyStep,
} from '../planned.ts';
import { accessOf } from './access.ts';
import { dataArgs, type Files } from './files.ts';
import { splitFlags } from './flags.ts';
import type { Host } from './host.ts';
import { registrySecret } from './secret.ts';
import { targetOf } from './target.ts';

export function planDownload(spec: RunSpec, host: Host, files: Files): DownloadStep {
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
  const archiveName = `aicr_${version.slice(1)}_linux_${host.arch}.tar.gz`;
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

export function planPack(spec: RunSpec, host: Host, files: Files): PackStep {
  const { ref, plainHTTP, insecureTLS, secret, authDigest } = spec.pack;
  const as = secret === '' ? 'anonymously' : `with Secret ${secret}`;
  const value = authDigest === '' ? 'dataPackSecret' : 'dataPackAuth';
  return {
    name: 'pack',
    does: `pull data pack ${ref} ${as}`,
    ref,
    plainHTTP,
    insecureTLS,
    secret: registrySecret(spec, secret, host.packAuthDir, value),
    oras: host.oras,
    dir: files.pack,
    digestFile: files.packDigest,
  };
}

export function planRecipe(spec: RunSpec, files: Files): RecipeStep {
  const criteria = statedCriteria(spec);
  const argv: [string, ...string[]] = [files.aicr, 'recipe'];
  for (const [name, value] of Object.entries(criteria)) argv.push(`--${name}`, value);
  argv.push(
    ...dataArgs(spec, files),
    '--output',
    files.recipe.file,
    ...splitFlags(spec.recipe.flags),
    ...spec.recipe.args,
  );
  const asked = Object.entries(criteria).map(([name, value]) => `${name}=${value}`);
  return {
    name: 'recipe',
    does: `resolve the recipe for ${asked.length === 0 ? "the data pack's own criteria" : asked.join(', ')}`,
    argv,
    recipe: files.recipe,
    target: targetOf(spec, spec.recipe.configMap),
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

export function planBundle(spec: RunSpec, files: Files): BundleStep {
  const { preinstalledDriver, storageClass, flags, args } = spec.bundle;
  const argv: [string, ...string[]] = [files.aicr, 'bundle', '--recipe', files.recipe.file];
  argv.push(...dataArgs(spec, files), '--deployer', 'helm', '--output', files.bundle);
  if (preinstalledDriver) argv.push(...PREINSTALLED_DRIVER.flatMap((value) => ['--set', value]));
  if (storageClass !== '') argv.push('--storage-class', storageClass);
  argv.push(...splitFlags(flags), ...args);
  return {
    name: 'bundle',
    does: 'render the recipe into a bundle of Helm releases',
    argv,
    dir: files.bundle,
    recipe: files.recipe,
    target: targetOf(spec, spec.recipe.configMap),
  };
}

export const planVerify = (files: Files): VerifyStep => ({
  name: 'verify',
  does: "check every file of the bundle against the bundle's checksums",
  argv: [files.aicr, 'verify', files.bundle],
  dir: files.bundle,
});

export function planReleases(spec: RunSpec, files: Files): ReleasesStep {
  const { name, namespace } = spec.release;
  return {
    name: 'releases',
    does: "look at the Helm releases in the cluster that have the names of the bundle's",
    dir: files.bundle,
    access: accessOf(spec),
    version: spec.aicr.version,
    release: { name, namespace },
    existing: spec.deploy.existingReleases,
    allowDowngrade: spec.deploy.allowDowngrade,
    statusConfigMap: spec.status.configMap,
    lockNamespace: spec.lock.namespace,
    claimsFile: files.claims,
  };
}

export function planDeploy(spec: RunSpec, files: Files): DeployStep {
  const flags = [...splitFlags(spec.deploy.flags), ...spec.deploy.args];
  return {
    name: 'deploy',
    does: `run the bundle's deploy.sh${flags.length === 0 ? '' : ` with ${flags.join(' ')}`}`,
    argv: ['bash', join(files.bundle, 'deploy.sh'), ...flags],
    dir: files.bundle,
    bestEffort: flags.includes('--best-effort'),
    claimsFile: files.claims,
  };
}
