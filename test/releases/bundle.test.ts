/** Bundles of the stand-in, or of a real aicr, read as the runner reads them. */
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readBundle } from '../../src/runner/steps/releases/bundle.ts';
import { helmTimeout } from '../../src/runner/steps/releases/timeout.ts';
import { COLD_BUILD, openProgram, type Program, REAL } from '../standin/program.ts';

const MINUTE = 60_000;

describe.runIf(!REAL).each([
  ['v0.21.0', false],
  ['v1.2.0', true],
])('the bundle of aicr %s', (version, hasInfo) => {
  let aicr: Program;
  beforeAll(async () => {
    aicr = await openProgram(version);
  }, COLD_BUILD);
  afterAll(() => aicr.remove());

  const bundle = async (name: string, ...criteria: string[]): Promise<string> => {
    await aicr.run(['recipe', ...criteria, '-o', `${name}.yaml`]);
    const outcome = await aicr.run(['bundle', '-r', `${name}.yaml`, '-o', name]);
    expect(outcome.exitCode, outcome.stderr).toBe(0);
    return join(aicr.dir, name);
  };

  test('is read in the order of deployment, with the component of each release', async () => {
    const dir = await bundle(
      'stock',
      '--service',
      'eks',
      '--accelerator',
      'h100',
      '--intent',
      'training',
      '--os',
      'ubuntu',
    );
    expect(existsSync(join(dir, 'bundle-info.yaml'))).toBe(hasInfo);
    const releases = await readBundle(dir);
    const names = releases.map(({ name }) => name);
    expect(names.indexOf('cert-manager')).toBeGreaterThanOrEqual(0);
    expect(names.indexOf('gpu-operator')).toBeGreaterThan(names.indexOf('cert-manager'));
    expect(releases.find(({ name }) => name === 'gpu-operator')).toEqual({
      name: 'gpu-operator',
      namespace: 'gpu-operator',
      component: 'gpu-operator',
      timeoutMs: 20 * MINUTE,
    });
    for (const { name, component } of releases) {
      expect(names).toContain(component);
      expect(name.startsWith(component)).toBe(true);
    }
  });

  test('is read the same without what newer versions write into it', async () => {
    const dir = await bundle(
      'both',
      '--service',
      'eks',
      '--accelerator',
      'h100',
      '--intent',
      'training',
      '--os',
      'ubuntu',
    );
    const all = await readBundle(dir);
    await rm(join(dir, 'bundle-info.yaml'), { force: true });
    expect(await readBundle(dir)).toEqual(all);
  });
});

describe('a bundle by its folders alone', () => {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'bundle-'));
    const install = (name: string, rest: string): [string, string] => [
      name,
      `exec helm upgrade --install ${name.slice(4)} ./ ${rest}\n`,
    ];
    const folders = [
      install('001-nodewright-pre', '-n nodewright --create-namespace'),
      install('002-nodewright', '--namespace nodewright'),
      install('003-nodewright-readiness', '--namespace=nodewright --timeout 1h35m'),
      install('004-my-post', '--namespace "mine" --timeout 90s'),
    ];
    for (const [name, script] of folders) {
      await mkdir(join(dir, name));
      await writeFile(join(dir, name, 'install.sh'), script);
    }
    await mkdir(join(dir, 'data'));
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  test('has what aicr puts beside a component under that component', async () => {
    expect(await readBundle(dir)).toEqual([
      { name: 'nodewright-pre', namespace: 'nodewright', component: 'nodewright', timeoutMs: 5 * MINUTE },
      { name: 'nodewright', namespace: 'nodewright', component: 'nodewright', timeoutMs: 5 * MINUTE },
      {
        name: 'nodewright-readiness',
        namespace: 'nodewright',
        component: 'nodewright',
        timeoutMs: 95 * MINUTE,
      },
      { name: 'my-post', namespace: 'mine', component: 'my-post', timeoutMs: 1.5 * MINUTE },
    ]);
  });

  test.each([
    ['of another kind', 'kind: Something\n'],
    ['whose list is a text', 'layout: {releases: none}\n'],
    ['that is empty', ''],
  ])('is not told otherwise by a bundle-info.yaml %s', async (_, text) => {
    const copy = `${dir}-copy`;
    await cp(dir, copy, { recursive: true });
    await writeFile(join(copy, 'bundle-info.yaml'), text);
    expect(await readBundle(copy)).toHaveLength(4);
    await rm(copy, { recursive: true });
  });
});

test.each([
  ['nothing says one', 'helm upgrade', 'echo hello', 5],
  ['install.sh says one', 'helm upgrade --timeout 12m', '--timeout 20m', 12],
  ['install.sh says one in quotes', 'helm upgrade --timeout="1h5m30s"', '', 65.5],
  ['deploy.sh has several', '', 'helm --timeout 10m; kubectl wait --timeout=15m', 15],
  [
    'deploy.sh keeps them in variables',
    '',
    'limit=10m attempt=0\nlimit=20m attempts=1; --timeout $limit',
    20,
  ],
  ['seconds have a fraction', 'helm --timeout 1.5m', '', 1.5],
])('helm may work on a component as long as stated: %s', (_, install, deploy, minutes) => {
  expect(helmTimeout(install, deploy)).toBe(minutes * MINUTE);
});
