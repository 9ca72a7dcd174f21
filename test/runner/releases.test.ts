/** Whose the Helm releases are, on a real API server and by real helm. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RunError } from '../../src/contract/index.ts';
import { HelmWorld, type Look } from './helm-world.ts';

let world: HelmWorld;
beforeEach(async () => {
  world = new HelmWorld(4);
  await world.open();
});
afterEach(() => world.close());

const install = (name: string) => world.helm('upgrade', '--install', name, `chart:${name}`);
const both = async (): Promise<void> => {
  await install('alpha');
  await install('beta');
};
const adopt: Look = { change: { existing: 'adopt' }, job: 'gpu-install-9' };

async function refusal(ended: Promise<unknown>): Promise<RunError> {
  const thrown = await ended.then(
    () => new Error('it was let pass'),
    (error: unknown) => error,
  );
  if (!(thrown instanceof RunError)) throw thrown;
  return thrown;
}

describe('a Helm release of a component’s name', () => {
  test('that a run made is upgraded by the next one', async () => {
    await world.deploy({ job: 'gpu-install-1' }, both);
    expect((await world.look()).message).toBe('Helm releases: 2 to upgrade, 0 new');
  });

  test('that nobody recorded stops the run, which names it and what to do', async () => {
    await install('beta');
    const error = await refusal(world.look());
    expect(error.code).toBe('ForeignRelease');
    expect(error.message).toMatch(
      new RegExp(`beta in namespace ${world.namespace} \\(deployed, since 20[^)]*Z\\)$`),
    );
    expect(error.message).not.toContain('alpha');
    expect(error.hint).toContain('bundleArgs: ["--set","beta:enabled=false"]');
    expect(error.hint).toContain('deploy.existingReleases: adopt');
    expect(await world.ledger()).toEqual({});
  });

  test('is taken over once, and is ours from then on', async () => {
    await install('beta');
    await world.deploy(adopt, both);
    expect(world.recorded.warnings).toEqual([]);
    await world.look(adopt);
    expect(world.recorded.warnings).toEqual([]);
    await world.look();
    expect(await world.ledger()).toMatchObject({
      [`${world.namespace}.alpha`]: { how: 'installed' },
      [`${world.namespace}.beta`]: {
        how: 'adopted',
        made: { by: `${world.namespace}/gpu`, run: 'gpu-install-9', aicr: 'v1.2.0' },
      },
    });
  });

  test('that is taken over is warned of', async () => {
    await install('beta');
    await world.look(adopt);
    expect(world.recorded.warnings).toEqual([
      expect.stringMatching(/^beta in namespace \S+ \(deployed, .*taken over .*adopt/),
    ]);
  });

  test('that was uninstalled and made anew by somebody else is not ours', async () => {
    await world.deploy({ job: 'gpu-install-1' }, both);
    await world.helm('uninstall', 'alpha');
    await install('alpha');
    const error = await refusal(world.look());
    expect(error.code).toBe('ForeignRelease');
    expect(error.message).not.toContain('beta');
  });

  test('that was uninstalled may be installed again, its history kept or not', async () => {
    await world.deploy({ job: 'gpu-install-1' }, both);
    await world.helm('uninstall', 'alpha');
    await world.helm('uninstall', 'beta', '--keep-history');
    await world.deploy({ job: 'gpu-install-2' }, both);
    expect(await world.status('beta')).toMatchObject({ status: 'deployed' });
    await world.look({ job: 'gpu-install-3' });
  });

  test('that somebody upgraded by hand stays ours', async () => {
    await world.deploy({ job: 'gpu-install-1' }, both);
    await install('alpha');
    await world.look();
  });

  test('whose first install half-failed is ours on the next run', async () => {
    const broken = ['upgrade', '--install', 'alpha', 'chart:alpha', '--wait', '--timeout', '1s'];
    await world.deploy({ job: 'gpu-install-1' }, () => world.helm(...broken));
    expect(await world.status('alpha')).toMatchObject({ status: 'failed' });
    await world.look();
  });

  test('that a killed run made is ours, before anything could be written of it', async () => {
    await world.killed({ job: 'gpu-install-1' }, () => install('alpha'));
    await world.deploy({ job: 'gpu-install-2' }, both);
    expect(await world.ledger()).toMatchObject({
      [`${world.namespace}.alpha`]: { made: { run: 'gpu-install-1' }, deployed: { run: 'gpu-install-2' } },
      [`${world.namespace}.beta`]: { made: { run: 'gpu-install-2' }, deployed: { run: 'gpu-install-2' } },
    });
  });

  test('that was there before a run which was killed is not', async () => {
    await install('alpha');
    const { cluster, signal } = world.context();
    const mark = { by: 'x/y', run: 'j', at: new Date().toISOString(), aicr: 'v1.2.0' };
    const planned = JSON.stringify({ how: 'installed', made: mark, deployed: mark, firstDeployed: '' });
    const texts = { [`${world.namespace}.alpha`]: planned };
    await cluster.mergeTexts(world.namespace, 'nvidia-aicr-components', texts, signal);
    expect((await refusal(world.look())).code).toBe('ForeignRelease');
  });

  test('that was never made is taken off the list when the run ends', async () => {
    await world.deploy({ job: 'gpu-install-1' }, () => install('alpha'));
    expect(Object.keys(await world.ledger()).sort()).toEqual([
      `newest_${world.namespace}.gpu`,
      `${world.namespace}.alpha`,
    ]);
    await install('beta');
    expect((await refusal(world.look())).message).not.toContain('alpha');
  });

  test('that cannot be read is nobody’s to take over', async () => {
    await world.deploy({ job: 'gpu-install-1' }, both);
    const { name = '' } = (await world.newest('alpha')) ?? {};
    const path = `/api/v1/namespaces/${world.namespace}/secrets/${name}`;
    const data = { release: Buffer.from('no record').toString('base64') };
    await world.admin.call('PATCH', path, { data }, 'application/merge-patch+json');
    const error = await refusal(world.look(adopt));
    expect(error.code).toBe('ForeignRelease');
    expect(error.message).toContain(name);
  });
});

describe('an older aicr', () => {
  const at = (version: string, change: Partial<NonNullable<Look['change']>> = {}): Look => ({
    job: `gpu-install-${version}`,
    change: { version, ...change },
  });

  test('than the newest run that reached deploy is refused, though nothing came of that', async () => {
    await world.killed(at('v1.2.0'), async () => {});
    const error = await refusal(world.look(at('v1.1.0')));
    expect(error.code).toBe('DowngradeRefused');
    expect(error.message).toMatch(
      new RegExp(
        `^aicr v1.1.0 is older than v1.2.0, with which run gpu-install-v1.2.0 of release ${world.namespace}/gpu came to deploy at 20`,
      ),
    );
    expect(error.hint).toContain('deploy.allowDowngrade');
    expect(error.hint).toContain('gpu-install-v1.2.0');
    await world.look(at('v1.2.0'));
    await world.look(at('v1.3.0-rc1'));
  });

  test('than a candidate is refused, and the candidate after its release', async () => {
    await world.deploy(at('v1.3.0-rc10'), both);
    expect((await refusal(world.look(at('v1.3.0-rc9')))).code).toBe('DowngradeRefused');
    await world.deploy(at('v1.3.0'), both);
    expect((await refusal(world.look(at('v1.3.0-rc10')))).code).toBe('DowngradeRefused');
  });

  test('is deployed where that is allowed, and is the newest from then on', async () => {
    await world.deploy(at('v1.2.0'), both);
    await world.deploy(at('v1.1.0', { allowDowngrade: true }), both);
    expect(await world.ledger()).toMatchObject({
      [`newest_${world.namespace}.gpu`]: { aicr: 'v1.1.0', run: 'gpu-install-v1.1.0' },
    });
    await world.look(at('v1.1.0'));
    await world.look(at('v1.1.0', { allowDowngrade: true }));
    expect(world.recorded.warnings).toEqual([]);
    await world.look(at('v1.0.0', { allowDowngrade: true }));
    expect(world.recorded.warnings).toEqual([expect.stringMatching(/v1.0.0 is older.*allowDowngrade/)]);
  });

  test('of another release of this chart is refused for components that both have, and only for those', async () => {
    await world.deploy(at('v1.2.0'), () => install('alpha'));
    const other = { name: 'other', namespace: world.namespace };
    const error = await refusal(world.look(at('v1.1.0', { release: other })));
    expect(error.message).toContain(`of release ${world.namespace}/gpu deployed alpha at`);
    await world.helm('uninstall', 'alpha');
    await world.look(at('v1.1.0', { release: other }));
  });
});
