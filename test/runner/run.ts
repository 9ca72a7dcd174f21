import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { bundle } from '../../hack/bundle-runner.ts';
import { Mirror, serviceAccountToken } from '../../hack/cluster/index.ts';
import type { Release } from '../../hack/standin/index.ts';
import type { RunSpec, RunStatus } from '../../src/contract/index.ts';
import statusSchema from '../../src/contract/status.schema.json' with { type: 'json' };
import { type Admin, type ApiObject, adminOf } from './admin.ts';
import { type JobOptions, jobObject, specFor } from './objects.ts';
import { type StartedRun, type StartOptions, startProgram } from './process.ts';
import { writeRelease } from './release.ts';

/** A deploy.sh that installs two components. */
export const TWO_COMPONENTS = `
echo '┌─ [1/2] cert-manager  →  cert-manager'
echo '└─ ✓ cert-manager installed'
echo '┌─ [2/2] gpu-operator  →  gpu-operator'
echo '└─ ✓ gpu-operator installed'
echo '✓ All components installed successfully'
`;

/** What a run differs in from an ordinary one. */
export interface RunOptions extends StartOptions {
  /** Text of deploy.sh behind its first line. */
  readonly deploy?: string;
  /** Shell text before every command of aicr. */
  readonly aicr?: string;
  /** Served instead of that script; the spec then names its version. */
  readonly release?: Release;
  /** Puts into the pod's root what else it has, before the program starts. */
  readonly mount?: (root: string) => void;
  readonly spec?: (spec: RunSpec) => unknown;
  /** Written instead of the spec. */
  readonly runJson?: string | null;
  readonly job?: JobOptions;
  /** A Job that is there already. */
  readonly jobName?: string;
  readonly podUid?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Another way to the API server. */
  readonly api?: { readonly url: string; readonly ca: string };
  /** A file where the writable folder should be, which no step foresees. */
  readonly breakTmp?: boolean;
}

/** A namespace with a release of the chart in it, and the program to run there. */
export interface World {
  readonly admin: Admin;
  readonly namespace: string;
  start(options?: RunOptions): Promise<StartedRun>;
  /** Makes a Job of the release without running anything. */
  makeJob(name: string, options?: JobOptions): Promise<ApiObject>;
  /** The run's document, or the shared one without a name. */
  status(job?: string): Promise<RunStatus>;
  configMap(name: string): Promise<{ data: Record<string, string>; object: ApiObject } | null>;
  events(job: string): Promise<readonly { reason: string; type: string; note: string }[]>;
  /** Takes the installer's rights away, as an uninstall does. */
  revoke(): Promise<void>;
}

const keepsContract = new Ajv().compile(statusSchema);

let folder = '';
let program = '';

let jobsMade = 0;
/** Job times have a resolution of a second, and within one the greater name is the newer Job: made in this order. */
const nextJobName = (): string => `aicr-install-${String(++jobsMade).padStart(8, '0')}`;

/** Bundles the program once for a test file, and cleans up after it. */
export function useProgram(): void {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'runner-'));
    program = join(folder, 'runner.mjs');
    writeFileSync(program, await bundle('src/runner/main.ts'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
}

/** @param rights rules that the installer gets; cluster-admin's when left out, none at all for null */
export async function makeWorld(rights?: readonly object[] | null): Promise<World> {
  const connection = inject('apiServer');
  const admin = adminOf(connection);
  const namespace = `run-${randomUUID().slice(0, 8)}`;
  const token = await serviceAccountToken(connection, namespace, 'installer');
  const bindings = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
  if (rights !== null) {
    const clusterRole = rights === undefined ? 'cluster-admin' : namespace;
    if (rights !== undefined) {
      const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
      await admin.call('POST', roles, { metadata: { name: clusterRole }, rules: rights });
    }
    await admin.call('POST', bindings, {
      metadata: { name: namespace },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: clusterRole },
      subjects: [{ kind: 'ServiceAccount', name: 'installer', namespace }],
    });
  }
  const jobs = `/apis/batch/v1/namespaces/${namespace}/jobs`;

  const makeJob = async (name: string, options: JobOptions = {}): Promise<ApiObject> => {
    const job = await admin.call('POST', jobs, jobObject(name, options));
    const status = {
      startTime: new Date(Date.now() - (options.startedAgo ?? 0) * 1000).toISOString().replace(/\.\d+Z/, 'Z'),
      active: 1,
      failed: options.failed ?? 0,
    };
    await admin.call('PATCH', `${jobs}/${name}/status`, { status }, 'application/merge-patch+json');
    return job;
  };
  const configMap: World['configMap'] = async (name) => {
    const object = await admin.find(`/api/v1/namespaces/${namespace}/configmaps/${name}`);
    return object === null ? null : { object, data: (object['data'] ?? {}) as Record<string, string> };
  };

  return {
    admin,
    namespace,
    makeJob,
    configMap,
    start: async (options = {}) => {
      const job = options.jobName ?? nextJobName();
      if (options.jobName === undefined) {
        await makeJob(job, options.job);
      }
      const root = mkdtempSync(join(folder, 'pod-'));
      const mirror = await startMirror(root, options);
      const api = options.api ?? { url: connection.url, ca: readFileSync(connection.caFile, 'utf8') };
      writePod(root, token, api.ca);
      if (options.breakTmp === true) {
        rmSync(join(root, 'tmp'), { recursive: true });
        writeFileSync(join(root, 'tmp'), '');
      }
      options.mount?.(root);
      const spec = specFor(namespace, mirror.url);
      spec.aicr.version = options.release?.version ?? spec.aicr.version;
      if (options.runJson !== null) {
        writeFileSync(
          join(root, 'run-spec/run.json'),
          options.runJson ?? JSON.stringify(options.spec?.(spec) ?? spec),
        );
      }
      const { hostname, port } = new URL(api.url);
      const run = startProgram(program, root, job, options, {
        JOB_NAME: job,
        POD_NAME: `${job}-pod`,
        POD_NAMESPACE: namespace,
        POD_UID: options.podUid ?? randomUUID(),
        NODE_NAME: 'node-1',
        KUBERNETES_SERVICE_HOST: hostname,
        KUBERNETES_SERVICE_PORT: port,
        PATH: `${join(root, 'bin')}:/usr/bin:/bin`,
        HOME: join(root, 'tmp'),
        TMPDIR: join(root, 'tmp'),
        ...options.env,
      });
      void run.ended.then(() => mirror.stop());
      return run;
    },
    status: async (job) => {
      const found = await configMap('aicr-status');
      const key = job === undefined ? 'status.json' : `${job}.json`;
      const text = found?.data[key];
      if (text === undefined) {
        throw new Error(`ConfigMap aicr-status has no ${key}; it has ${Object.keys(found?.data ?? {})}`);
      }
      const status = JSON.parse(text) as RunStatus;
      if (!keepsContract(status)) {
        throw new Error(
          `the status document breaks its schema: ${JSON.stringify(keepsContract.errors)}\n${text}`,
        );
      }
      return status;
    },
    events: async (job) => {
      const list = await admin.call('GET', `/apis/events.k8s.io/v1/namespaces/${namespace}/events`);
      const items = list['items'] as {
        regarding: { name: string };
        reason: string;
        type: string;
        note: string;
      }[];
      return items.filter(({ regarding }) => regarding.name === job);
    },
    revoke: async () => {
      await admin.call('DELETE', `${bindings}/${namespace}`);
      // The API server's authorizer learns of it a moment later.
      const user = `system:serviceaccount:${namespace}:installer`;
      const spec = { user, resourceAttributes: { namespace, verb: 'patch', resource: 'configmaps' } };
      const reviews = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
      await expect
        .poll(async () => (await admin.call('POST', reviews, { spec }))['status'])
        .toMatchObject({ allowed: false });
    },
  };
}

async function startMirror(root: string, options: RunOptions): Promise<Mirror> {
  const releases = join(root, 'releases');
  const { release } = options;
  if (release === undefined) {
    await writeRelease(releases, options.deploy ?? TWO_COMPONENTS, options.aicr);
  } else {
    mkdirSync(releases);
    symlinkSync(release.dir, join(releases, release.version));
  }
  return Mirror.start(releases, '127.0.0.1');
}

/** The files that the pod has, below its root. */
function writePod(root: string, token: string, ca: string): void {
  const secrets = join(root, 'var/run/secrets/kubernetes.io/serviceaccount');
  for (const dir of [secrets, ...['tmp', 'dev', 'run-spec', 'bin'].map((name) => join(root, name))]) {
    mkdirSync(dir, { recursive: true });
  }
  writeFileSync(join(secrets, 'token'), token);
  writeFileSync(join(secrets, 'ca.crt'), ca);
  for (const tool of ['kubectl', 'helm']) {
    writeFileSync(join(root, 'bin', tool), '#!/bin/sh\n', { mode: 0o755 });
  }
}
