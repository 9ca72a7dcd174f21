/** Releases that a killed helm left pending, on a real API server and by real helm. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RunError, type RunStatus } from '../../src/contract/index.ts';
import { newStatus } from '../../src/runner/status/index.ts';
import { ordinaryRunSpec } from '../run-spec.ts';
import { HelmWorld } from './helm-world.ts';

describe.each([3, 4] as const)('with helm %i', (generation) => {
  let world: HelmWorld;
  beforeEach(async () => {
    world = new HelmWorld(generation);
    await world.open();
  });
  afterEach(() => world.close());

  /** What a run wrote that was killed while it installed alpha. */
  const document = (state: 'Installing' | 'Interrupted' | 'Installed', job = 'gpu-install-1'): RunStatus => {
    const identity = { release: 'gpu', namespace: world.namespace, job, pod: 'p', podUid: 'u' };
    const spec = ordinaryRunSpec();
    spec.release.name = 'gpu';
    const began = new Date(Date.now() - 60_000);
    const component = { index: 1, of: 2, name: 'alpha', namespace: world.namespace, state, attempts: 1 };
    return {
      ...newStatus(spec, identity, 'node-1', began),
      updatedAt: new Date().toISOString(),
      components: [component],
    };
  };
  const wait = ['--wait', '--timeout', '5m'];
  const first = ['upgrade', '--install', 'alpha', 'chart:alpha'];
  const killedInstall = (): Promise<void> =>
    world.killed({ job: 'gpu-install-1' }, () =>
      world.killedWhile('pending-install', 'alpha', ...first, ...wait),
    );
  const killedUpgrade = async (): Promise<void> => {
    await world.deploy({ job: 'gpu-install-0' }, () => world.helm(...first));
    await world.killed({ job: 'gpu-install-1' }, () =>
      world.killedWhile('pending-upgrade', 'alpha', ...first, ...wait, '--set', 'a=1'),
    );
  };
  const killedRollback = async (): Promise<void> => {
    await world.deploy({ job: 'gpu-install-0' }, async () => {
      await world.helm(...first);
      await world.helm(...first, '--set', 'a=1');
    });
    await world.killed({ job: 'gpu-install-1' }, () =>
      world.killedWhile('pending-rollback', 'alpha', 'rollback', 'alpha', '1', ...wait),
    );
  };
  const failure = async (ended: Promise<unknown>): Promise<RunError> => {
    const thrown = await ended.then(
      () => null,
      (error: unknown) => error,
    );
    if (!(thrown instanceof RunError)) throw thrown ?? new Error('it did not fail');
    return thrown;
  };

  test.each([
    ['pending-install', killedInstall],
    ['pending-upgrade', killedUpgrade],
    ['pending-rollback', killedRollback],
  ])('what an earlier run left in %s is set to failed, and is upgraded then', async (status, kill) => {
    await kill();
    // That is what it is about: helm itself does not get over it.
    expect((await world.helm(...first)).stderr).toMatch(/another operation .* in progress/);
    await world.writeStatus(document('Installing'));

    const outcome = await world.look();
    expect(outcome.message).toContain('; left pending by a killed run and set to failed: 1');
    expect(world.recorded.warnings).toEqual([
      `Helm release alpha in namespace ${world.namespace} was left in ${status} (run gpu-install-1 was stopped in the middle of it); it was set to failed, and deploy.sh goes on from there`,
    ]);
    expect(await world.status('alpha')).toMatchObject({
      status: 'failed',
      description: expect.stringContaining(`${status} was abandoned`),
    });
    expect((await world.newest('alpha'))?.labels).toMatchObject({ status: 'failed', owner: 'helm' });

    const upgraded = await world.helm(...first);
    expect(upgraded.exitCode, upgraded.stderr).toBe(0);
    expect(await world.status('alpha')).toMatchObject({ status: 'deployed' });
  });

  test('what the attempt before this one of the same Job left is known, too', async () => {
    await killedInstall();
    await world.look({ job: 'gpu-install-1', earlier: document('Installing') });
    expect(await world.status('alpha')).toMatchObject({ status: 'failed' });
  });

  test('what has been pending longer than its timeout is set to failed without a record', async () => {
    await killedInstall();
    await world.look({ minutesLater: 6 });
    expect(world.recorded.warnings[0]).toContain('helm began 6 min ago and had 5 min');
    expect(await world.status('alpha')).toMatchObject({ status: 'failed' });
  });

  test.each([
    ['nobody recorded', []],
    ['a run recorded as installed', ['Installed']],
    ['a later run installed again', ['Installing', 'Installed']],
  ] as const)('what is pending for less, and %s, stops the run and is left alone', async (_, states) => {
    await killedUpgrade();
    for (const [index, state] of states.entries()) {
      const status = document(state, `gpu-install-${index}`);
      await world.writeStatus({ ...status, startedAt: new Date(Date.now() - 60_000 + index).toISOString() });
    }
    const before = await world.newest('alpha');
    const error = await failure(world.look());
    expect(error.code).toBe('ReleasePending');
    expect(error.message).toContain(`alpha in namespace ${world.namespace} (pending-upgrade since 20`);
    expect(error.hint).toMatch(/a run after 20\S+Z sets it to failed/);
    expect(error.hint).toContain(`helm rollback alpha -n ${world.namespace}`);
    expect(await world.newest('alpha')).toEqual(before);
    expect(world.recorded.warnings).toEqual([]);
  });

  test('what somebody began long after the run that was killed is not taken for its own', async () => {
    await killedUpgrade();
    const long = 3_600_000;
    const [startedAt, updatedAt] = [2 * long, long].map((ago) => new Date(Date.now() - ago).toISOString());
    await world.writeStatus({
      ...document('Installing'),
      startedAt: startedAt ?? '',
      updatedAt: updatedAt ?? '',
    });
    expect((await failure(world.look())).code).toBe('ReleasePending');
  });

  test("somebody else's release is not touched, however long it has been pending", async () => {
    await world.killedWhile('pending-install', 'alpha', ...first, ...wait);
    const before = await world.newest('alpha');
    expect((await failure(world.look({ minutesLater: 60 }))).code).toBe('ForeignRelease');
    expect(await world.newest('alpha')).toEqual(before);

    // Taken over, it is healed like any other.
    await world.look({ minutesLater: 60, change: { existing: 'adopt' } });
    expect(await world.status('alpha')).toMatchObject({ status: 'failed' });
  });

  test('what an uninstall that was killed left stops the run, which says how to finish it', async () => {
    await world.deploy({ job: 'gpu-install-0' }, () => world.helm(...first));
    await world.killedWhile('uninstalling', 'alpha', 'uninstall', 'alpha', ...wait);
    // That is what it is about: helm itself does not get over it.
    expect((await world.helm(...first)).stderr).toContain('has no deployed releases');
    const before = await world.newest('alpha');
    const error = await failure(world.look());
    expect(error).toMatchObject({
      code: 'ReleasePending',
      message: expect.stringMatching(
        new RegExp(`^helm is uninstalling alpha in namespace ${world.namespace}, or was killed`),
      ),
      hint: expect.stringContaining(`helm uninstall alpha -n ${world.namespace}. Then run again.`),
    });
    expect(await world.newest('alpha')).toEqual(before);

    const finished = await world.helm('uninstall', 'alpha');
    expect(finished.exitCode, finished.stderr).toBe(0);
    await world.look();
  });

  test('a release that changes at the last moment is not overwritten', async () => {
    await killedUpgrade();
    const { cluster, signal } = world.context();
    const { name = '', resourceVersion = '' } = (await world.newest('alpha')) ?? {};
    const stale = await cluster.readSecret(world.namespace, name, signal);
    const labels = { status: 'superseded' };
    const change = { resourceVersion, labels, data: stale?.data ?? {} };
    expect(await cluster.changeSecret(world.namespace, name, change, signal)).toBe(true);
    const again = { ...change, labels: { status: 'failed' } };
    expect(await cluster.changeSecret(world.namespace, name, again, signal)).toBe(false);
    expect((await world.newest('alpha'))?.labels['status']).toBe('superseded');
    expect(await cluster.changeSecret(world.namespace, 'gone', change, signal)).toBe(false);
  });
});
