import { cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { COLD_BUILD, failureText, type Outcome, openProgram, type Program } from './program.ts';

let aicr: Program;
let pack: string;
beforeAll(async () => {
  aicr = await openProgram();
  pack = await aicr.pack('acme');
  const criteria = ['--service', 'acme', '--accelerator', 'h200', '--intent', 'training'];
  await aicr.run(['recipe', '--data', pack, ...criteria, '-o', 'recipe.yaml']);
}, COLD_BUILD);
afterAll(() => aicr.remove());

const bundle = (output: string, ...args: string[]): Promise<Outcome> =>
  aicr.run(['bundle', '-r', 'recipe.yaml', '--data', pack, '-o', output, ...args]);
const inside = (...parts: string[]): string => path.join(aicr.dir, ...parts);
const mode = async (...parts: string[]): Promise<string> =>
  ((await stat(inside(...parts))).mode & 0o777).toString(8);

describe('a bundle', () => {
  test('has upstream’s layout, modes and closed inventory', async () => {
    const outcome = await bundle('layout');
    expect(outcome.exitCode).toBe(0);
    expect(outcome.stdout).toContain('generated successfully!');
    expect(outcome.stdout).toContain(`Output directory: ${inside('layout')}`);
    const files = (await readdir(inside('layout'), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(inside('layout'), path.join(entry.parentPath, entry.name)))
      .sort();
    expect(files).toEqual(
      expect.arrayContaining([
        '001-acme-agent/Chart.yaml',
        '001-acme-agent/cluster-values.yaml',
        '001-acme-agent/install.sh',
        '001-acme-agent/templates/rights.yaml',
        '001-acme-agent/templates/settings.yaml',
        '001-acme-agent/values.yaml',
        '002-acme-probe/install.sh',
        'README.md',
        'checksums.txt',
        'data/registry.yaml',
        'data/overlays/acme-h200-training.yaml',
        'deploy.sh',
        'recipe.yaml',
      ]),
    );
    expect(await mode('layout', 'deploy.sh')).toBe('755');
    expect(await mode('layout', '001-acme-agent', 'install.sh')).toBe('755');
    expect(await mode('layout', '001-acme-agent', 'values.yaml')).toBe('600');
    expect(await mode('layout', 'recipe.yaml')).toBe('600');
    const listed = (await readFile(inside('layout', 'checksums.txt'), 'utf8')).trim().split('\n');
    expect(listed.map((line) => line.replace(/^[0-9a-f]{64} {2}/, ''))).toEqual(
      files.filter((name) => name !== 'checksums.txt'),
    );
  });

  test('keeps a recipe of what is in it, without the health checks', async () => {
    await bundle('kept');
    const text = await readFile(inside('kept', 'recipe.yaml'), 'utf8');
    const kept = parse(text) as { componentRefs: { name: string }[]; deploymentOrder: string[] };
    expect(kept.componentRefs.map((each) => each.name)).toEqual(['acme-agent', 'acme-probe']);
    expect(kept.deploymentOrder).toEqual(['acme-agent', 'acme-probe']);
    expect(text).not.toContain('healthCheckAsserts');
  });

  test('takes values, and accepts what places pods', async () => {
    const placing = [
      '--storage-class',
      'fast',
      '--system-node-selector',
      'a=b',
      '--workload-gate',
      'x=y:NoSchedule',
      '--accelerated-node-toleration',
      'nvidia.com/gpu=present:NoSchedule',
    ];
    const json = 'acme-agent:list=[{"name":"A","value":"b, c"}]';
    const outcome = await bundle('values', '--set', 'acme-agent:a.b=c', '--set-json', json, ...placing);
    expect(outcome.exitCode).toBe(0);
    expect(parse(await readFile(inside('values', '001-acme-agent', 'values.yaml'), 'utf8'))).toEqual({
      a: { b: 'c' },
      list: [{ name: 'A', value: 'b, c' }],
    });
  });

  test('leaves out what --set disables', async () => {
    expect((await bundle('without', '--set', 'acme-probe:enabled=false')).exitCode).toBe(0);
    expect((await readdir(inside('without'))).filter((name) => /^\d/.test(name))).toEqual(['001-acme-agent']);
  });
});

describe('bundle refuses', () => {
  test.each([
    [
      'an unknown component, naming the declared ones',
      ['--set', 'nosuch:a=b'],
      '--set nosuch:a cannot take effect: unknown component "nosuch"; recipe declares: acme-agent, acme-probe, cert-manager, ',
    ],
    [
      'a value for what the recipe disables',
      ['--set', 'gpuoperator:driver.enabled=false'],
      '--set gpuoperator:driver.enabled cannot take effect: component "gpu-operator" is not in the generated bundle because the recipe disables it',
    ],
    [
      '--set without a value',
      ['--set', 'acme-probe'],
      `invalid --set: [INVALID_REQUEST] invalid format "acme-probe": expected`,
    ],
    [
      'a toleration without an effect',
      ['--accelerated-node-toleration', 'bad'],
      'invalid --accelerated-node-toleration: ',
    ],
    [
      'an unknown deployer',
      ['--deployer', 'nope'],
      'invalid --deployer value: [INVALID_REQUEST] invalid deployer type "nope"',
    ],
    [
      'nothing left to deploy',
      ['--set', 'acme-agent:enabled=false', '--set', 'acme-probe:enabled=false'],
      'recipe has no enabled components after filtering',
    ],
  ])('%s', async (_, args, text) => {
    const outcome = await bundle('refused', ...args);
    expect(outcome.exitCode).toBe(2);
    expect(failureText(outcome)).toContain(text);
  });

  test('no recipe, and one that is not there', async () => {
    expect(await aicr.run(['bundle', '-o', 'none'])).toMatchObject({ exitCode: 2 });
    const outcome = await aicr.run(['bundle', '-r', 'nosuch.yaml', '-o', 'none']);
    expect(outcome.exitCode).toBe(3);
    expect(failureText(outcome)).toContain(`[NOT_FOUND] recipe file not found: ${inside('nosuch.yaml')}`);
  });

  test('the recipe of a pack without the pack', async () => {
    const outcome = await aicr.run(['bundle', '-r', 'recipe.yaml', '-o', 'packless']);
    expect(outcome.exitCode).toBe(2);
    expect(failureText(outcome)).toContain("not found in this binary's embedded data");
  });
});

describe('verify', () => {
  beforeAll(() => bundle('good'));
  const copy = async (name: string, change: (dir: string) => Promise<unknown>): Promise<Outcome> => {
    await cp(inside('good'), inside(name), { recursive: true });
    await change(inside(name));
    return aicr.run(['verify', name]);
  };

  test('passes what bundle wrote, though it is unsigned', async () => {
    const outcome = await aicr.run(['verify', 'good']);
    expect(outcome).toMatchObject({ exitCode: 0, stderr: `[cli] verifying bundle: dir=${inside('good')}` });
    expect(outcome.stdout).toMatch(/✓ Checksums verified \(\d+ files\).*Trust level: unverified.*PASSED/s);
    const json = await aicr.run(['verify', 'good', '--format', 'json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ trustLevel: 'unverified', checksumsPassed: true });
  });

  test('finds an added, a changed and a missing file', async () => {
    for (const [name, change, text] of [
      [
        'added',
        (dir: string) => writeFile(path.join(dir, 'extra'), ''),
        'bundle contains an unexpected file: "extra"',
      ],
      [
        'changed',
        (dir: string) => writeFile(path.join(dir, 'README.md'), ''),
        'checksum mismatch for "README.md"',
      ],
      [
        'missing',
        (dir: string) => rm(path.join(dir, 'README.md')),
        'bundle is missing expected file: "README.md"',
      ],
      ['unlisted', (dir: string) => rm(path.join(dir, 'checksums.txt')), 'checksums.txt not found'],
    ] as const) {
      const outcome = await copy(name, change);
      expect(outcome.exitCode).toBe(4);
      expect(outcome.stdout).toContain('Bundle verification: FAILED');
      expect(failureText(outcome)).toContain(`[UNAUTHORIZED] bundle verification failed: `);
      expect(failureText(outcome)).toContain(text);
    }
  });

  test('tells a folder that is not there from a policy that is not met', async () => {
    expect((await aicr.run(['verify', 'nowhere'])).exitCode).toBe(3);
    expect((await aicr.run(['verify', 'good', '--min-trust-level', 'verified'])).exitCode).toBe(2);
    expect((await aicr.run(['verify', 'good', '--data', pack])).exitCode).toBe(1);
  });
});
