import { execa } from 'execa';
import { parseAllDocuments } from 'yaml';
import { type ApiServer, helmPath, serviceAccountToken, toolPath } from '../cluster/index.ts';
import type { Release } from '../standin/index.ts';
import { CRITERIA } from './script.ts';

export const NAMESPACE = 'bench';
const RELEASE = 'aicr';

interface KubeObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
}

/** The chart's objects on an API server, and what a pod of its Job needs. */
export interface Installed {
  readonly api: ApiServer;
  readonly chart: string;
  readonly job: string;
  readonly runJson: string;
  readonly token: string;
}

/**
 * Puts the chart on the API server, where no kubelet starts its pod. Runs of the Job that was put there last are the
 * newest ones; those of an earlier Job would give way to it.
 * @param more values beside criteria and mirror
 */
export async function installChart(
  api: ApiServer,
  chart: string,
  mirrorUrl: string,
  release: Release,
  more: object = {},
): Promise<Installed> {
  const token = await serviceAccountToken(api, NAMESPACE, `${RELEASE}-installer`);
  const values = {
    ...CRITERIA,
    aicrVersion: release.version,
    aicrSource: { baseUrl: mirrorUrl },
    ...more,
  };
  const argv = ['template', RELEASE, chart, '--namespace', NAMESPACE, '--values', '-'];
  const { stdout } = await execa(helmPath(4), argv, { input: JSON.stringify(values) });
  await kubectl(api, ['apply', '--server-side', '--force-conflicts', '--filename', '-'], stdout);
  const objects = parseAllDocuments(stdout).map((document) => document.toJS() as KubeObject | null);
  const job = objects.find((object) => object?.kind === 'Job')?.metadata.name ?? '';
  const runJson = objects.flatMap((object) => object?.data?.['run.json'] ?? [])[0] ?? '';
  return { api, chart, job, runJson, token };
}

/** Removes what runs wrote, so that the next one finds a cluster as the first one did. */
export async function forgetRuns({ api }: Installed): Promise<void> {
  const written = [`${RELEASE}-status`, 'aicr-recipe', 'aicr-upgrade-check'];
  await kubectl(api, ['delete', 'configmap', ...written, '--ignore-not-found']);
}

async function kubectl(api: ApiServer, args: readonly string[], input = ''): Promise<void> {
  await execa(toolPath('kubectl'), ['--kubeconfig', api.kubeconfig, '--namespace', NAMESPACE, ...args], {
    input,
  });
}
