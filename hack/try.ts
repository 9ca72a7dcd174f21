/** From a clone to a green Job: builds the chart, starts a cluster, installs, shows the result. `hack/try` starts it. */
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { buildChart } from './chart.ts';
import { type Cluster, dockerConfig, startCluster, toolPath } from './cluster/index.ts';
import { ACME, packFolder, packHeaders, pushPack, releaseFolder } from './standin/index.ts';

const USAGE = `Usage: hack/try [--keep]

Builds the chart and installs it on a throwaway Kubernetes cluster with a private registry and a mirror of an aicr
release, follows the install Job and prints what it did. The first run builds its tools from source (about a quarter
of an hour on two cores); later ones take about a minute. Set AICR_RELEASE_DIR to a folder with a real release's
assets to install with that instead of the stand-in.

  --keep   leave the cluster running and say how to use and stop it`;

const NAMESPACE = 'nvidia-aicr';
const RELEASE = 'nvidia-aicr';
const PACK_SECRET = 'aicr-pack-pull';
/** Longer than any install of the demo pack takes. */
const PATIENCE_MINUTES = 10;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const start = Date.now();
const step = (line: string): void => {
  const seconds = Math.round((Date.now() - start) / 1000);
  say(`[${String(seconds).padStart(4)} s] ${line}`);
};

/** Puts a release on the mirror and the demo pack into the private registry. @returns the values that name them */
async function publish(cluster: Cluster): Promise<Record<string, unknown>> {
  const release = await releaseFolder({ dir: join(cluster.folder, 'release') });
  await cp(release.dir, join(cluster.mirrorRoot, release.version), { recursive: true });
  const folder = await packFolder('acme', {
    headers: packHeaders(release.version),
    into: join(cluster.folder, 'pack'),
  });
  const { host, login } = cluster.registry;
  const ref = `${host}/acme/acme-aicr-pack:1.0.0`;
  const auth = { username: login.user, password: login.password };
  await pushPack({ ref, folder, oras: toolPath('oras'), plainHTTP: true, auth });
  return {
    ...ACME,
    aicrVersion: release.version,
    aicrSource: { baseUrl: cluster.mirrorUrl },
    dataPack: ref,
    dataPackSecret: PACK_SECRET,
    dataPackPlainHTTP: true,
  };
}

async function install(cluster: Cluster, chart: string, published: Record<string, unknown>): Promise<string> {
  const { node, oras, runtime } = cluster.images;
  const values = join(cluster.folder, 'values.yaml');
  await writeFile(
    values,
    stringify({ ...published, nodeImage: node, orasImage: oras, runtimeImage: runtime }),
  );
  await cluster.run(['kubectl', 'create', 'namespace', NAMESPACE]);
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: PACK_SECRET, namespace: NAMESPACE },
    type: 'kubernetes.io/dockerconfigjson',
    stringData: { '.dockerconfigjson': dockerConfig(cluster.registry) },
  };
  await cluster.run(['kubectl', 'apply', '--filename', '-'], { input: JSON.stringify(secret) });
  const argv = ['helm', 'install', RELEASE, chart, '--namespace', NAMESPACE, '--values', values];
  say(`         ${argv.join(' ')}`);
  await cluster.run(argv);
  return await kubectl(cluster, 'get', 'jobs', '--output', 'jsonpath={.items[0].metadata.name}');
}

/** Shows the installer's log while it grows, until the Job has ended. @returns true when the Job succeeded */
async function follow(cluster: Cluster, job: string): Promise<boolean> {
  const log = showLog(cluster, job);
  const deadline = Date.now() + PATIENCE_MINUTES * 60_000;
  while (Date.now() < deadline) {
    const path = 'jsonpath={range .status.conditions[?(@.status=="True")]}{.type} {end}';
    const conditions = (await kubectl(cluster, 'get', 'job', job, '--output', path)).split(' ');
    if (conditions.includes('Complete') || conditions.includes('Failed')) {
      await Promise.race([log, delay(5000)]);
      return conditions.includes('Complete');
    }
    await delay(1000);
  }
  say(`the Job has not ended within ${PATIENCE_MINUTES} minutes`);
  return false;
}

async function showLog(cluster: Cluster, job: string): Promise<void> {
  const argv = ['logs', '--follow', `job/${job}`, '--container', 'installer', '--pod-running-timeout=2m'];
  for (let attempt = 0; attempt < 120; attempt++) {
    const logs = cluster.startInside(['kubectl', '--namespace', NAMESPACE, ...argv], { reject: false });
    let shown = false;
    for await (const line of logs.iterable({ from: 'stdout' })) {
      shown = true;
      say(`         | ${line}`);
    }
    if (shown) return;
    // The container has not started yet: its init containers still run.
    await delay(500);
  }
}

/** Prints what the run wrote down and, where that is nothing, what became of its pod. */
async function showResults(cluster: Cluster, job: string): Promise<void> {
  const status = `${RELEASE}-status`;
  await showSummary(cluster, 'What was resolved', 'aicr-recipe');
  if (await showSummary(cluster, 'How the run went', status)) return;
  say('\nIts pod:\n');
  say(await kubectl(cluster, 'describe', 'pods', '--selector', `batch.kubernetes.io/job-name=${job}`));
}

/** Prints a ConfigMap's summary. @returns false when there is none */
async function showSummary(cluster: Cluster, title: string, name: string): Promise<boolean> {
  const argv = ['get', 'configmap', name, '--ignore-not-found', '--output', 'jsonpath={.data.summary\\.txt}'];
  const text = await kubectl(cluster, ...argv);
  say(`\n${title} (ConfigMap ${name}):\n`);
  say(text === '' ? '  nothing was written' : text.replace(/^/gm, '  ').trimEnd());
  return text !== '';
}

async function kubectl(cluster: Cluster, ...args: string[]): Promise<string> {
  return (await cluster.run(['kubectl', '--namespace', NAMESPACE, ...args])).stdout;
}

function lookAround(cluster: Cluster, chart: string, job: string): string {
  return [
    '',
    'To look around:',
    `  export KUBECONFIG=${cluster.kubeconfig} PATH=${cluster.folder}/bin:$PATH`,
    `  kubectl -n ${NAMESPACE} logs job/${job}`,
    `  kubectl -n ${NAMESPACE} get configmaps,jobs,pods,events`,
    '  helm list -A',
    `  kubectl -n ${NAMESPACE} get configmap ${RELEASE}-status -o jsonpath='{.data.status\\.json}'`,
    `  node dist/cli.mjs status -n ${NAMESPACE}`,
    '',
    'To run it again, or with values of your own:',
    `  helm upgrade ${RELEASE} ${chart} -n ${NAMESPACE} --reuse-values --set-string runId=1`,
    '',
  ].join('\n');
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: { keep: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    say(USAGE);
    return true;
  }
  const cluster = await startCluster({ report: step });
  try {
    step('building the chart');
    const charts = join(cluster.folder, 'charts');
    await mkdir(charts);
    const chart = await buildChart(charts);
    step('publishing an aicr release on the mirror and the demo pack in the private registry');
    const published = await publish(cluster);
    step('installing the chart');
    const job = await install(cluster, chart, published);
    step(`following Job ${job}`);
    const green = await follow(cluster, job);
    await showResults(cluster, job);
    if (values.keep) say(lookAround(cluster, chart, job));
    else say('\nTo look around in the cluster yourself: hack/try --keep\n');
    step(green ? `Job ${job} succeeded` : `Job ${job} did not succeed`);
    return green;
  } finally {
    if (values.keep) {
      cluster.keep();
      say(`The cluster keeps running. Stop it with: hack/cluster/down ${cluster.folder}`);
    } else {
      await cluster.stop();
      step('the cluster is stopped and removed');
    }
  }
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  process.stderr.write(`hack/try: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
