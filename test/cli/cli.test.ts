import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { packChart, readFolder, renderBom, renderChart } from '../../src/chart/index.ts';
import { chartSources, scratchFolder } from '../render/chart.ts';
import { installCommand, PACKAGES, runCommand } from './command.ts';

const installed = await installCommand();
const runner = { program: new Uint8Array([0xff, 0]), handover: 'hello' };
const sources = await chartSources({ runner });
const expectedFiles = renderChart(sources);

describe('build', () => {
  test('writes the folder of the chart and prints where', async () => {
    const out = path.join(scratchFolder('out'), 'a', 'b');
    const chart = path.join(out, 'nvidia-aicr');
    expect(await runCommand(installed, ['build', '--out', out])).toEqual({
      code: 0,
      stdout: `${chart}\n`,
      stderr: '',
    });
    const sorted = [...expectedFiles].sort((a, b) => (a.path < b.path ? -1 : 1));
    const bytes = (files: typeof expectedFiles) => files.map((file) => [file.path, Buffer.from(file.data)]);
    expect(bytes(await readFolder(chart))).toEqual(bytes(sorted));
  });

  test('writes into dist when it is not told where', async () => {
    const cwd = scratchFolder('cwd');
    expect(await runCommand(installed, ['build'], { cwd })).toMatchObject({
      code: 0,
      stdout: 'dist/nvidia-aicr\n',
    });
    expect(existsSync(path.join(cwd, 'dist/nvidia-aicr/Chart.yaml'))).toBe(true);
  });

  test('says so when the place is taken', async () => {
    const out = scratchFolder('taken');
    mkdirSync(path.join(out, 'nvidia-aicr'));
    const { code, stderr } = await runCommand(installed, ['build', '--out', out]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/nvidia-aicr is there and is not this chart; .*--out\n$/);
  });
});

describe('package', () => {
  test('writes the same archive and the same bill of materials every time', async () => {
    const [one, two] = [scratchFolder('one'), scratchFolder('two')];
    const [name, bom] = ['nvidia-aicr-0.3.0.tgz', 'nvidia-aicr-0.3.0.cdx.json'];
    for (const out of [one, two]) {
      expect(await runCommand(installed, ['package', '--out', out])).toEqual({
        code: 0,
        stdout: `${path.join(out, name)}\n${path.join(out, bom)}\n`,
        stderr: '',
      });
    }
    const archive = readFileSync(path.join(one, name));
    expect(readFileSync(path.join(two, name))).toEqual(archive);
    expect(archive).toEqual(Buffer.from(await packChart(expectedFiles)));
    for (const out of [one, two])
      expect(readFileSync(path.join(out, bom), 'utf8')).toBe(renderBom(sources, PACKAGES));
  });

  test('writes into dist when it is not told where', async () => {
    const cwd = scratchFolder('cwd');
    const { stdout } = await runCommand(installed, ['package'], { cwd });
    expect(stdout).toBe('dist/nvidia-aicr-0.3.0.tgz\ndist/nvidia-aicr-0.3.0.cdx.json\n');
    for (const file of stdout.trim().split('\n')) expect(existsSync(path.join(cwd, file))).toBe(true);
  });
});

describe('the command', () => {
  test.each([['--help'], ['-h'], ['build', '--help']])('shows its usage on %s', async (...args) => {
    const { code, stdout, stderr } = await runCommand(installed, args);
    expect([code, stderr]).toEqual([0, '']);
    for (const name of ['build', 'package', 'check', 'catalog'])
      expect(stdout).toContain(`nvidia-aicr-chart ${name}`);
  });

  test.each([
    [[], 'A command is missing'],
    [['bild'], 'bild is not a command'],
    [['chek', 'values.yaml'], 'chek is not a command'],
    [['check', 'values.yaml'], 'check takes its files by -f: -f values.yaml'],
    [['build', 'x', 'y'], 'Too many arguments: x y'],
    [['build', '-f', 'x'], 'Only check has -f'],
    [['check'], 'check needs -f VALUES.yaml'],
    [['--out', 'x', 'status'], 'status comes first, before its options'],
    [['check', '-f', 'x', '--out', 'y'], 'check has no --out'],
    [['build', '--nope'], "Unknown option '--nope'; nvidia-aicr-chart --help lists what there is\n"],
    [['build', '--out'], "Option '--out <value>' argument missing; nvidia-aicr-chart --help"],
  ])('refuses %j', async (args, message) => {
    const { code, stdout, stderr } = await runCommand(installed, args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test('ends without a word when nobody reads what it prints', async () => {
    const out = scratchFolder('out');
    const options = { nobodyReads: true };
    const { code, stderr } = await runCommand(installed, ['catalog', '--out', out], options);
    expect([code, stderr]).toEqual([141, '']);
  });

  test('says its version', async () => {
    expect(await runCommand(installed, ['--version'])).toEqual({ code: 0, stdout: '0.3.0\n', stderr: '' });
  });

  test('says what to do when a part of the package is not there', async () => {
    const broken = await installCommand();
    rmSync(path.join(broken, 'dist', 'program'), { recursive: true });
    const program = await runCommand(broken, ['build']);
    expect([program.code, program.stderr]).toEqual([
      2,
      `${path.join(broken, 'dist', 'program')} does not hold the program; run npm run build first\n`,
    ]);
    writeFileSync(path.join(broken, 'CHANGELOG.md'), '## [Unreleased]\n### News\n');
    const changelog = await runCommand(broken, ['check', '-f', 'values.schema.json']);
    expect([changelog.code, changelog.stderr]).toEqual([
      2,
      'CHANGELOG.md: 0.3.0: "News" is none of added, changed, deprecated, removed, fixed, security\n',
    ]);
    writeFileSync(path.join(broken, 'CHANGELOG.md'), '');
    writeFileSync(path.join(broken, 'chart-templates', 'Chart.yaml.hbs'), 'name: x\nversion: {{nope}}\n');
    const template = await runCommand(broken, ['check', '-f', 'values.schema.json']);
    expect([template.code, template.stderr]).toEqual([
      2,
      expect.stringMatching(/^Chart\.yaml\.hbs:2: "nope" not defined/),
    ]);
    rmSync(path.join(broken, 'values.schema.json'));
    const schema = await runCommand(broken, ['build']);
    expect([schema.code, schema.stderr]).toEqual([
      2,
      'values.schema.json is not where this command is installed; install it again\n',
    ]);
  });
});
