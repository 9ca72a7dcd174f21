import { describe, expect } from 'vitest';
import { expectFailure } from './failure.ts';
import { listReleases } from './release.ts';
import { test } from './scenario.ts';

describe('a component that fails', () => {
  test('fails the Job without --best-effort, and the ones after it are not touched', async ({ scenario }) => {
    const { values } = await scenario.pack('acme-failing');
    await scenario.packSecret();
    const release = scenario.release();
    await release.install({ ...values, deployFlags: '--no-wait --retries 1' });
    const status = await expectFailure(release, 'DeployFailed');
    const broken = `${scenario.word}-broken`;
    expect(status.message).toContain(broken);
    expect(status.components).toEqual([
      { index: 1, of: 2, name: broken, namespace: broken, state: 'Failed', attempts: 2 },
    ]);
    expect(status.logTail.join('\n')).toMatch(/70000/);
    expect((await (await release.job()).termination()).message).toMatch(/70000/);
    expect(await listReleases(scenario.cluster, `${scenario.word}-probe`)).toEqual([]);
  });

  test('is told of by name with --best-effort, and the ones after it are installed', async ({ scenario }) => {
    const { values } = await scenario.pack('acme-failing');
    await scenario.packSecret();
    const release = scenario.release();
    await release.install({
      ...values,
      deployFlags: '--best-effort --no-wait',
      deployArgs: ['--retries', '0'],
    });
    const job = await release.job();
    expect(await job.ended(), await job.story()).toBe('Complete');
    const [broken, probe] = [`${scenario.word}-broken`, `${scenario.word}-probe`];
    const status = await release.status();
    expect(status).toMatchObject({
      phase: 'SucceededWithFailures',
      reason: '',
      components: [
        { name: broken, state: 'Failed', attempts: 1 },
        { name: probe, state: 'Installed' },
      ],
    });
    expect(status.message).toContain(broken);
    expect(status.message).not.toContain(probe);
    expect(status.warnings.join('\n')).toMatch(new RegExp(`${broken} failed: .*70000`));
    const { exitCode, message } = await job.termination();
    expect(exitCode).toBe(0);
    expect(message).toMatch(new RegExp(`^SucceededWithFailures: .*${broken}`));
    expect(await job.events()).toContainEqual(
      expect.objectContaining({ type: 'Warning', reason: 'SucceededWithFailures' }),
    );
    expect(await listReleases(scenario.cluster, probe)).toMatchObject([{ name: probe, status: 'deployed' }]);
  });
});

describe('a deferred restart of the DRA kubelet plugin', () => {
  const DEFERRED = 'WARN: deploy.sh deferred the DRA kubelet-plugin restart (exit 2)';

  test('fails the Job without --best-effort and lets it pass with it', async ({ scenario }) => {
    const { values } = await scenario.pack('acme-deferral');
    await scenario.packSecret();
    const release = scenario.release();
    await release.install({ ...values, deployFlags: '--no-wait' });
    const first = await release.job();
    // aicr before v0.22 restarts the plugin whatever the driver does.
    const [major = 0, minor = 0] = scenario.aicr.version.slice(1).split('.').map(Number);
    if (major === 0 && minor < 22) {
      expect(await first.ended(), await first.story()).toBe('Complete');
      return;
    }
    const status = await expectFailure(release, 'DeployDeferred');
    expect(status.components.map(({ state }) => state)).toEqual(['Installed', 'Installed']);
    expect(status.message).toContain('nvidia-dra-driver-gpu');

    await release.upgrade({ ...values, deployFlags: '--no-wait --best-effort' });
    const second = await release.job();
    expect(await second.ended(), await second.story()).toBe('Complete');
    expect(await second.log()).toContain(DEFERRED);
    expect(await second.termination()).toMatchObject({ exitCode: 0 });
    expect(await release.status()).toMatchObject({ phase: 'SucceededWithFailures' });
  });
});
