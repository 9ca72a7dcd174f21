import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { toolPath } from '../cluster/index.ts';
import { test } from './scenario.ts';

const WAITING = ['--wait', '--wait-for-jobs', '--timeout', '8m'];
const ROLL_BACK = { 3: '--atomic', 4: '--rollback-on-failure' } as const;

describe.each([4, 3] as const)('helm %s', (helm) => {
  test('waits for the run when told to, rolls back what fails, and rolls back by hand', async ({
    scenario,
  }) => {
    const { values } = await scenario.pack('acme');
    await scenario.packSecret();
    const release = scenario.release({ helm });
    const { namespace, cluster } = scenario;
    const run = async (...argv: string[]): Promise<string> =>
      (await cluster.run([`helm${helm}`, ...argv, '--namespace', namespace.name])).stdout;

    await release.install(values, ...WAITING);
    const first = await release.job();
    expect(await release.status()).toMatchObject({ phase: 'Succeeded', job: { name: first.name } });
    expect(await run('get', 'notes', release.name)).toContain(`logs -n ${namespace.name} job/${first.name}`);

    // There is no such release on the mirror, so the run fails, and Helm makes the first Job once more.
    const [before] = await namespace.list('jobs');
    const failing = { ...values, aicrVersion: 'v9.9.9' };
    await expect(release.upgrade(failing, ROLL_BACK[helm], ...WAITING)).rejects.toThrow();
    const again = await release.job();
    expect(again.name).toBe(first.name);
    const [after] = await namespace.list('jobs');
    expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
    expect(await again.ended(), await again.story()).toBe('Complete');

    await release.upgrade({ ...values, runId: '2' }, ...WAITING);
    expect((await release.job()).name).not.toBe(first.name);
    await run('rollback', release.name, '1', ...WAITING);
    const back = await release.job();
    expect(back.name).toBe(first.name);
    expect(await release.statusOf(back)).toMatchObject({ phase: 'Succeeded' });
  });
});

test('the chart goes through a registry and comes back as it was, with Helm 3.14 too', async ({
  scenario,
}) => {
  const { cluster, chart } = scenario;
  const folder = await mkdtemp(join(tmpdir(), 'registry-'));
  const run = async (...argv: string[]): Promise<string> => (await cluster.run(argv, { cwd: folder })).stdout;
  /** What `helm template` makes, in a fixed order: helms print it in different ones. */
  const render = async (program: string, source: string): Promise<readonly string[]> => {
    const text = await run(program, 'template', 'rel', source, '--set', 'accelerator=h100');
    return parseAllDocuments(text)
      .map((document) => JSON.stringify(document.toJS()))
      .sort();
  };
  try {
    await run('helm4', 'package', chart, '--destination', folder);
    const archive = basename((await run('sh', '-c', 'ls *.tgz')).trim());
    const packed = await readFile(join(folder, archive));
    const values = await readFile(join(chart, 'values.yaml'), 'utf8');
    const objects = await render('helm4', chart);
    const version = archive.replace(/^nvidia-aicr-(.*)\.tgz$/, '$1');
    for (const pusher of ['helm3', 'helm4']) {
      const repository = `oci://${cluster.openRegistry.host}/${scenario.word}/${pusher}`;
      await run(pusher, 'push', archive, repository, '--plain-http');
      const source = [`${repository}/nvidia-aicr`, '--version', version, '--plain-http'];
      for (const puller of ['helm3', 'helm4', toolPath('helm314')]) {
        const into = `${pusher}-${basename(puller)}`;
        await mkdir(join(folder, into));
        await run(puller, 'pull', ...source, '--destination', into);
        expect(await readFile(join(folder, into, archive))).toEqual(packed);
        expect((await run(puller, 'show', 'values', ...source)).trim()).toBe(values.trim());
        expect(await render(puller, join(into, archive))).toEqual(objects);
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
