import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { cachePath } from './cache.ts';
import { ensureTools, type Report, reportToStderr, toolPath } from './tools.ts';
import { VERSIONS } from './versions.ts';

/** Packages of Flux whose types become definitions. */
const FLUX_TYPES = ['github.com/fluxcd/helm-controller/api/v2', 'github.com/fluxcd/source-controller/api/v1'];

const ARGOCD_MODULE = `github.com/argoproj/argo-cd/v3@v${VERSIONS.argocd}`;

/**
 * CustomResourceDefinitions of those who deliver the chart, made once and kept in the user's cache folder: Flux's by
 * controller-gen from its Go types, as Flux itself does it, and Argo CD's out of its Go module.
 * @param report told about slow steps
 * @returns folders with one YAML file a definition
 * @throws Error with go's or controller-gen's own last words
 */
export async function ensureCrds(report: Report = reportToStderr): Promise<readonly string[]> {
  const { fluxHelm, fluxSource, argocd } = VERSIONS;
  const flux = cachePath('crds', `flux-${fluxHelm}-${fluxSource}`);
  const argo = cachePath('crds', `argocd-${argocd}`);
  if (!existsSync(flux)) await ensureTools(['controller-gen'], report);
  await make(flux, report, generateFlux);
  await make(argo, report, copyArgocd);
  return [flux, argo];
}

/** Fills a folder that is not there yet in one step, so that whoever sees it sees all of it. */
async function make(target: string, report: Report, fill: (folder: string) => Promise<void>): Promise<void> {
  if (existsSync(target)) return;
  report(`making the definitions in ${target} (once; needs the network)`);
  mkdirSync(dirname(target), { recursive: true });
  const folder = mkdtempSync(join(dirname(target), '.make-'));
  try {
    await fill(folder);
    try {
      renameSync(folder, target);
    } catch (error) {
      // Whoever was quicker has put the same there.
      if (!existsSync(target)) throw error;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function generateFlux(folder: string): Promise<void> {
  const moduleFolder = fileURLToPath(new URL('tools/crds', import.meta.url));
  const paths = FLUX_TYPES.map((type) => `paths=${type}`);
  const argv = ['crd', ...paths, `output:crd:dir=${folder}`];
  await execa(toolPath('controller-gen'), argv, { cwd: moduleFolder, stdin: 'ignore' });
}

async function copyArgocd(folder: string): Promise<void> {
  const { stdout } = await execa('go', ['mod', 'download', '-json', ARGOCD_MODULE], {
    cwd: folder,
    stdin: 'ignore',
  });
  const { Dir } = JSON.parse(stdout) as { Dir: string };
  const crds = join(Dir, 'manifests', 'crds');
  for (const file of readdirSync(crds).filter((name) => name.endsWith('-crd.yaml'))) {
    cpSync(join(crds, file), join(folder, file));
  }
}
