import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { pathWithHelm } from '../cli/command.ts';
import { scratchFolder } from '../render/chart.ts';
import { helm } from '../render/helm.ts';
import { copyCheckout, type Machine, runOn } from './checkout.ts';

const MACHINES: readonly Machine[] = [
  { umask: '022', env: { TZ: 'UTC', LC_ALL: 'C', HOME: scratchFolder('home') } },
  { umask: '077', env: { TZ: 'Pacific/Kiritimati', LC_ALL: 'C.UTF-8', HOME: scratchFolder('home') } },
];

const sha256 = (data: Buffer): string => createHash('sha256').update(data).digest('hex');

/** What a release is made of, from one checkout. */
const packOn = async (machine: Machine, name: string): Promise<string> => {
  const checkout = copyCheckout(name);
  const script =
    'mkdir out; npm pack --silent --pack-destination out >&2; node dist/cli.mjs package --out out >&2';
  await runOn(checkout, machine, script);
  return path.join(checkout, 'out');
};

const [OURS, COMMAND] = ['nvidia-aicr-0.3.0.tgz', 'nvidia-aicr-chart-0.3.0.tgz'];
let [one, two] = ['', ''];
beforeAll(async () => {
  const [first, second] = MACHINES as [Machine, Machine];
  one = await packOn(first, 'first');
  two = await packOn(second, 'a-second-and-longer');
});

describe('a release', () => {
  test('has the same bytes from another folder, umask, time zone, locale and home', () => {
    const files = [OURS, 'nvidia-aicr-0.3.0.cdx.json', COMMAND];
    for (const out of [one, two]) expect(readdirSync(out).sort()).toEqual([...files].sort());
    const digests = (out: string): readonly string[] =>
      files.map((file) => `${file} ${sha256(readFileSync(path.join(out, file)))}`);
    expect(digests(two)).toEqual(digests(one));
  });

  test('has a chart that both helms find good', async () => {
    for (const generation of [3, 4] as const) {
      const args = ['template', 'rel', path.join(one, OURS), '--set', 'accelerator=h100'];
      const { ok, stderr } = await helm(generation, args);
      expect([ok, stderr]).toEqual([true, '']);
    }
  });
});

describe('the package of the command', () => {
  let folder = '';
  beforeAll(async () => {
    folder = scratchFolder('npx');
    writeFileSync(path.join(folder, 'package.json'), '{"private": true}\n');
    const install = `npm install --offline --silent --no-audit --no-fund ${path.join(one, COMMAND)}`;
    await runOn(folder, MACHINES[0] as Machine, install);
  });

  test('holds what the command needs, and nothing of the repository besides', () => {
    const files = execFileSync('tar', ['tzf', path.join(one, COMMAND)], { encoding: 'utf8' });
    const names = files
      .trim()
      .split('\n')
      .map((file) => file.replace('package/', ''));
    expect(names.filter((name) => !/^(chart|catalog)-templates\//.test(name)).sort()).toEqual(
      [
        'CHANGELOG.md',
        'LICENSE',
        'README.md',
        'dist/cli.mjs',
        'dist/program/handover.mjs',
        'dist/program/packages.json',
        'dist/program/runner.mjs.br',
        'package.json',
        'values.schema.json',
      ].sort(),
    );
    expect(names).toContain('chart-templates/.helmignore');
    expect(names).toContain('catalog-templates/apps/aicr/data.yaml.hbs');
  });

  test('installs without any other package', () => {
    expect(readdirSync(path.join(folder, 'node_modules')).sort()).toEqual([
      '.bin',
      '.package-lock.json',
      'nvidia-aicr-chart',
    ]);
  });

  test('is run by npx, without the repository', async () => {
    // What values mean together is helm's to say.
    const { umask, env } = MACHINES[0] as Machine;
    const PATH = `${pathWithHelm(4)}:${process.env['PATH']}`;
    const npx = async (args: string): Promise<string> =>
      await runOn(folder, { umask, env: { ...env, PATH } }, `npx --offline nvidia-aicr-chart ${args}`);
    expect(await npx('--help')).toContain('nvidia-aicr-chart build');
    expect(await npx('build --out built')).toBe('built/nvidia-aicr');
    expect(await npx('catalog --out made')).toContain('made/catalog/apps/aicr/data.yaml');
    await npx('package --out packed');
    const packed = readFileSync(path.join(folder, 'packed', OURS));
    expect(Buffer.compare(packed, readFileSync(path.join(one, OURS)))).toBe(0);
    mkdirSync(path.join(folder, 'values'));
    writeFileSync(path.join(folder, 'values', 'good.yaml'), 'accelerator: h100\n');
    expect(await npx('check -f values/good.yaml')).toContain('No problems.');
    writeFileSync(path.join(folder, 'values', 'bad.yaml'), 'acelerator: h100\n');
    await expect(npx('check -f values/bad.yaml')).rejects.toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining('acelerator'),
    });
  });
});
