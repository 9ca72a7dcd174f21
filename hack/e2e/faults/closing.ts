import { expect } from 'vitest';
import { STATUS_KEYS } from '../../../src/contract/index.ts';
import { leaseHolder } from '../lease.ts';
import type { ConfigMap } from '../namespace.ts';
import type { ListedRelease } from '../release.ts';
import type { Scenario } from '../scenario.ts';
import type { Aftermath, Stage } from './stage.ts';

/** Expects, after any fault, what table.ts lists as CLOSING. */
export async function expectSurvived(stage: Stage, aftermath: Aftermath): Promise<void> {
  const { scenario } = stage;
  const { release, next, gone, replaced, cause, shown } = aftermath;
  if (!replaced) await expectNothingLost(stage);
  // Whoever was stopped has given the Lease back or is known to be gone: the next run is not kept waiting.
  const values = { ...next, runId: 'next' };
  await (gone ? release.install(values) : release.upgrade(values));
  const job = await release.job();
  await stage.expectComplete(job);
  const status = await release.statusOf(job);
  expect(status, status.message).toMatchObject({ phase: 'Succeeded', reason: '' });
  expect(await shown(status)).toMatch(cause);
  await expectKeysKept(stage);
  expect(await leaseHolder(scenario)).toBe('');
  for (const helm of [3, 4] as const) {
    const listed = await listOwn(scenario, helm);
    expect(listed.filter(({ status: state }) => state !== 'deployed')).toEqual([]);
    expect(listed.map(({ namespace }) => namespace)).toContain(scenario.namespace.name);
  }
}

/** Everything that was reached before the fault is there as it was; of a status, every run's key. */
async function expectNothingLost({ scenario, reached }: Stage): Promise<void> {
  for (const [name, before] of reached) {
    const after = await scenario.namespace.configMap(name);
    if (isStatus(before)) expect(keysOf(after)).toEqual(expect.arrayContaining(keysOf(before)));
    else expect({ name, ...after }).toMatchObject({ name, ...contentOf(before) });
  }
}

/** The next run has written its own results; it has taken away none of the earlier ones' documents. */
async function expectKeysKept({ scenario, reached }: Stage): Promise<void> {
  for (const [name, before] of reached) {
    const after = await scenario.namespace.configMap(name);
    expect(keysOf(after), name).toEqual(expect.arrayContaining(keysOf(before)));
  }
}

const isStatus = ({ data = {} }: ConfigMap): boolean => STATUS_KEYS.status in data;
const keysOf = (found: ConfigMap | undefined): string[] => [
  ...Object.keys(found?.data ?? {}),
  ...Object.keys(found?.binaryData ?? {}),
];
const contentOf = ({ data = {}, binaryData = {} }: ConfigMap): object => ({
  ...(Object.keys(data).length > 0 ? { data } : {}),
  ...(Object.keys(binaryData).length > 0 ? { binaryData } : {}),
});

/** Every Helm release in the scenario's namespaces, in whatever state. */
async function listOwn({ cluster, word }: Scenario, helm: 3 | 4): Promise<readonly ListedRelease[]> {
  // Helm 4 lists all states by itself.
  const all = helm === 3 ? ['--all'] : [];
  const argv = [`helm${helm}`, 'list', '--all-namespaces', ...all, '--max', '0', '--output', 'json'];
  const listed = JSON.parse((await cluster.run(argv)).stdout) as ListedRelease[];
  return listed.filter(({ namespace }) => namespace.startsWith(word));
}
