import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { buildRelease } from '../../standin/index.ts';
import { expectFailure } from '../failure.ts';
import { installForeign } from '../foreign.ts';
import type { KubeObject } from '../namespace.ts';
import { eventually } from '../patience.ts';
import { listReleases } from '../release.ts';
import { WAITING } from '../scenario.ts';
import { type Act, AT_ONCE, type Stage } from './stage.ts';
import { pausing } from './stopped.ts';

const foreign: Act = async (stage) => {
  const { scenario, release } = stage;
  const values = await stage.pack('acme');
  const name = await installForeign(scenario, 'probe');
  const theirs = await listReleases(scenario.cluster, name);
  const job = await stage.install(values);
  const status = await expectFailure(release, 'ForeignRelease');
  expect(await listReleases(scenario.cluster, `${scenario.word}-agent`)).toEqual([]);
  expect(await listReleases(scenario.cluster, name)).toEqual(theirs);
  await stage.remember();
  const [hinted = ''] = /\[.*?\]/.exec(status.hint) ?? [];
  const next = { ...values, bundleArgs: JSON.parse(hinted) as unknown };
  const cause = new RegExp(`${name} in namespace ${name} \\(deployed, since `);
  return { release, next, cause, shown: stage.shownBy(job) };
};

/** An aicr before the scenario's. */
const OLDER = 'v1.1.0';

const rolledBack: Act = async (stage) => {
  const { scenario, release } = stage;
  const { cluster, namespace } = scenario;
  const older = await buildRelease({ version: OLDER, dir: join(cluster.folder, `release-${scenario.word}`) });
  await cp(older.dir, join(cluster.mirrorRoot, OLDER), { recursive: true });
  const values = await stage.pack('acme-slow');
  const first = await stage.install({ ...values, ...AT_ONCE, aicrVersion: OLDER });
  await stage.expectComplete(first);

  await release.upgrade({ ...values, ...WAITING });
  const newer = await release.job();
  await stage.untilHelmWaits();
  await stage.deletePod(newer);
  await stage.expectFailed(newer);
  await stage.remember();
  await cluster.run(['helm4', 'rollback', release.name, '1', '--namespace', namespace.name]);
  const back = await release.job();
  expect(back.name).toBe(first.name);
  const status = await expectFailure(release, 'DowngradeRefused');
  expect(await release.statusOf(newer)).toMatchObject({ phase: 'Interrupted' });
  const cause = new RegExp(`${OLDER}.*${scenario.aicr.version}`, 's');
  return {
    release,
    next: { ...values, ...AT_ONCE },
    cause,
    shown: () => `${status.message}\n${status.hint}`,
  };
};

/** Names of the ConfigMaps that runs write. */
const RESULTS = ['aicr-recipe', 'aicr-status', 'aicr-upgrade-check', 'nvidia-aicr-components'];

/** Installs while the ConfigMaps of results are refused. @param allow takes the obstacle away */
async function refusedResults(
  stage: Stage,
  cause: RegExp,
  block: () => Promise<void>,
  allow: () => Promise<void>,
) {
  const { release } = stage;
  const next = await stage.pack('acme');
  // The obstacle comes when the run has begun, and before it has a result to write.
  const job = await stage.install({ ...next, ...pausing('recipe=20s') });
  await block();
  await stage.expectFailed(job);
  const { message } = await job.termination();
  await allow();
  await stage.remember();
  return { release, next, cause, shown: () => message };
}

const quota: Act = async (stage) => {
  interface Quota extends KubeObject {
    readonly status?: { readonly used?: Readonly<Record<string, string>> };
  }
  const { namespace } = stage.scenario;
  const block = async (): Promise<void> => {
    const spec = { hard: { 'count/configmaps': '1' } };
    await namespace.apply({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'few' }, spec });
    await eventually(
      'the quota counts',
      async () => (await namespace.find<Quota>('resourcequota', 'few'))?.status?.used,
    );
  };
  const allow = async () => void (await namespace.kubectl(['delete', 'resourcequota', 'few']));
  return await refusedResults(stage, /exceeded quota: few/, block, allow);
};

const policy: Act = async (stage) => {
  const { namespace, word, cluster } = stage.scenario;
  const kinds = ['validatingadmissionpolicy', 'validatingadmissionpolicybinding'] as const;
  const allow = async (): Promise<void> => {
    for (const kind of kinds) await cluster.run(['kubectl', 'delete', kind, word, '--ignore-not-found']);
  };
  stage.atEnd(allow);
  const block = async (): Promise<void> => {
    const apiVersion = 'admissionregistration.k8s.io/v1';
    const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'] };
    await namespace.apply({
      apiVersion,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: word },
      spec: {
        matchConstraints: { resourceRules: [{ ...rule, resources: ['configmaps'] }] },
        validations: [
          { expression: `!(object.metadata.name in ${JSON.stringify(RESULTS)})`, message: 'no results here' },
        ],
      },
    });
    await namespace.apply({
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: word },
      spec: {
        policyName: word,
        validationActions: ['Deny'],
        matchResources: {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace.name } },
        },
      },
    });
    const argv = ['create', 'configmap', 'aicr-recipe', '--dry-run=server', '--namespace', namespace.name];
    await eventually('the policy refuses', async () => {
      const { all } = await cluster.run(['kubectl', ...argv], { reject: false });
      return all.includes('no results here') || undefined;
    });
  };
  return await refusedResults(stage, /no results here/, block, allow);
};

const noRights: Act = async (stage) => {
  const { release, scenario } = stage;
  const next = await stage.pack('acme');
  const job = await stage.install({ ...next, rbac: { create: false } });
  await stage.expectFailed(job);
  const { exitCode, message } = await job.termination();
  expect(exitCode).toBe(51);
  expect(await listReleases(scenario.cluster, `${scenario.word}-agent`)).toEqual([]);
  return { release, next, cause: /^RightsMissing: /, shown: () => message };
};

/** What the cluster or the run itself refuses. */
export const REFUSED_ACTS = {
  'foreign release': foreign,
  'rollback after a failed upgrade': rolledBack,
  'quota on ConfigMaps': quota,
  'policy against ConfigMaps': policy,
  'no rights': noRights,
} as const satisfies Record<string, Act>;
