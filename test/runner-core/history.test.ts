import { describe, expect, it } from 'vitest';
import { type EarlierRun, earlierRuns, hasInstalled } from '../../src/runner/status/history.ts';

const DEPLOYED = [
  { name: 'verify', state: 'Succeeded', startedAt: '2026-11-01T00:00:00Z' },
  { name: 'deploy', state: 'Succeeded', startedAt: '2026-11-01T00:01:00Z' },
];
const run = (startedAt: string, change: object = {}): EarlierRun =>
  ({
    startedAt,
    updatedAt: startedAt,
    job: { name: 'gpu-install-0', uid: '' },
    release: { name: 'gpu' },
    bundle: { digest: 'sha256:this' },
    steps: DEPLOYED,
    components: [{ name: 'a', state: 'Installed' }],
    ...change,
  }) as unknown as EarlierRun;

describe('the earlier runs of a release', () => {
  const read = (data: Record<string, unknown>) =>
    earlierRuns(
      Object.fromEntries(Object.entries(data).map(([key, value]) => [key, JSON.stringify(value)])),
      'gpu',
    ).map(({ startedAt }) => startedAt);

  it('are read from their own keys, the newest first', () => {
    const found = { 'b.json': run('2026-11-02'), 'c.json': run('2026-11-03'), 'a.json': run('2026-11-01') };
    expect(read(found)).toEqual(['2026-11-03', '2026-11-02', '2026-11-01']);
  });

  it('are not what stands under the shared key, nor texts', () => {
    expect(read({ 'status.json': run('1'), 'summary.txt': run('2'), 'c.json.txt': run('3') })).toEqual([]);
  });

  it('are not those of another release', () => {
    expect(read({ 'a.json': run('1', { release: { name: 'other' } }) })).toEqual([]);
  });

  it.each([
    null,
    7,
    [],
    ...['startedAt', 'updatedAt', 'job', 'release', 'bundle', 'steps', 'components'].map((key) =>
      run('1', { [key]: undefined }),
    ),
    run('1', { updatedAt: 7 }),
    run('1', { job: { name: 7 } }),
    run('1', { bundle: { digest: null } }),
    run('1', { bundle: null }),
    run('1', { steps: {} }),
    run('1', { components: 'none' }),
  ])('are not what is no document of a run: %j', (document) => {
    expect(read({ 'a.json': document, 'b.json': run('2') })).toEqual(['2']);
  });

  it('are not what is no JSON', () => {
    expect(earlierRuns({ 'a.json': '{' }, 'gpu')).toEqual([]);
  });
});

describe('the cluster has a bundle', () => {
  const has = (...runs: EarlierRun[]): boolean => hasInstalled(runs, 'sha256:this');
  const other = { bundle: { digest: 'sha256:other' } };
  const failed = {
    steps: DEPLOYED.map((step) => (step.name === 'deploy' ? { ...step, state: 'Failed' } : step)),
  };
  const early = {
    steps: [
      { name: 'verify', state: 'Succeeded', startedAt: '2026-11-01T00:00:00Z' },
      { name: 'deploy', state: 'Pending', startedAt: '' },
    ],
    components: [],
  };

  it('when the last complete run installed it', () => {
    expect(has(run('1'))).toBe(true);
    expect(has(run('2'), run('1', other))).toBe(true);
  });

  it('and still has it after a run that changed nothing, or tried the same again', () => {
    expect(has(run('2', { ...other, ...early }), run('1'))).toBe(true);
    expect(has(run('2', failed), run('1'))).toBe(true);
  });

  it('no longer when another was begun since', () => {
    expect(has(run('2', { ...other, ...failed }), run('1'))).toBe(false);
    expect(has(run('3', failed), run('2', { ...other, ...failed }), run('1'))).toBe(false);
    expect(has(run('2', other), run('1'))).toBe(false);
  });

  it('not while no run was complete', () => {
    expect(has()).toBe(false);
    expect(has(run('1', failed))).toBe(false);
    expect(has(run('1', { components: [] }))).toBe(false);
    const components = [
      { name: 'a', state: 'Installed' },
      { name: 'b', state: 'Failed' },
    ];
    expect(has(run('1', { components }))).toBe(false);
    expect(has(run('1', early))).toBe(false);
  });
});
