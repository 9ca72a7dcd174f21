import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type ChartFile,
  checkProgramSize,
  fill,
  packChart,
  readFolder,
  renderChart,
  TemplateError,
  writeFolder,
} from '../../src/chart/index.ts';
import { chartSources } from '../render/sources.ts';

const file = (name: string, text: string): ChartFile => ({
  path: name,
  data: new TextEncoder().encode(text),
});
const dataOf = (files: readonly ChartFile[], name: string): Uint8Array | undefined =>
  files.find((one) => one.path === name)?.data;
const textOf = (files: readonly ChartFile[], name: string): string =>
  new TextDecoder().decode(dataOf(files, name));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'nvidia-aicr-test-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a template', () => {
  test('is filled without escaping, and leaves Helm its actions', () => {
    const text = '{{a}} \\{{ .Values.x }} \\{{- if eq "a" "b" -}}\n';
    expect(fill('x.hbs', text, { a: '<&">' })).toBe('<&"> {{ .Values.x }} {{- if eq "a" "b" -}}\n');
  });

  test.each([
    ['a name that is not there', 'one\ntwo {{ nothing }}\n', /^t\/x\.hbs:2: "nothing" not defined/],
    [
      'a forgotten backslash',
      `${'\n'.repeat(11)}{{ .Values.x }}\n`,
      /^t\/x\.hbs:12: \{\{ \.Values\.x }} -+\^ Expecting /,
    ],
    ['a block that does not end', 'one\n{{#if a}}\n', /^t\/x\.hbs:3: one\{\{#if a}} -+\^ Expecting /],
    ['an action that does not end', 'one\n{{ a\n', /^t\/x\.hbs:2: one\{\{ a -+\^ Expecting /],
    ['a block that ends as another', 'one\n{{#a}}x{{/b}}\n', /^t\/x\.hbs:2: a doesn't match b/],
    ['a partial, whose line is not known', '{{> b}}', /^t\/x\.hbs:\?: The partial b could not be found$/],
  ])('names file and line of %s', (_name, text, message) => {
    expect(() => fill('t/x.hbs', text, { a: '' })).toThrow(TemplateError);
    expect(() => fill('t/x.hbs', text, { a: '' })).toThrow(message);
  });

  test('keeps what Handlebars said as the cause', () => {
    expect(() => fill('x.hbs', '{{ nothing }}', {})).toThrow(
      expect.objectContaining({
        name: 'TemplateError',
        cause: expect.objectContaining({ message: expect.stringContaining('"nothing" not defined') }),
      }),
    );
  });

  test('says what is wrong in one line', () => {
    for (const text of ['{{ nothing }}', '{{#if a}}', '{{ .x }}']) {
      try {
        fill('x.hbs', text, { a: '' });
        expect.unreachable();
      } catch (error) {
        expect((error as Error).message).not.toContain('\n');
      }
    }
  });
});

describe('a rendered chart', () => {
  test('fills .hbs files, copies the others, and adds the program', async () => {
    const runner = { program: new Uint8Array([0xff, 0]), handover: 'é' };
    const templates = [
      file('b.txt', '{{a}}'),
      file('a/c.txt.hbs', '{{chartVersion}} {{aicrVersion}}'),
      { path: 'bytes', data: new Uint8Array([0xfe]) },
    ];
    const files = renderChart(await chartSources({ version: '9.9.9', templates, runner }));
    expect(files.map((one) => one.path).sort()).toEqual([
      'a/c.txt',
      'b.txt',
      'bytes',
      'program/handover.mjs',
      'program/runner.mjs.br',
    ]);
    expect(textOf(files, 'a/c.txt')).toBe('9.9.9 v1.2.0');
    expect(textOf(files, 'b.txt')).toBe('{{a}}');
    expect(dataOf(files, 'bytes')).toEqual(new Uint8Array([0xfe]));
    expect(textOf(files, 'program/handover.mjs')).toBe('é');
    expect(dataOf(files, 'program/runner.mjs.br')).toEqual(runner.program);
  });

  test('names a template that cannot be filled', async () => {
    const templates = [file('templates/x.yaml.hbs', 'a\n{{ nope }}')];
    const sources = await chartSources({ templates });
    expect(() => renderChart(sources)).toThrow(/^templates\/x\.yaml\.hbs:2: /);
  });

  test('is refused when the program is too big for a ConfigMap', async () => {
    const runner = (bytes: number) => ({ program: new Uint8Array(bytes), handover: '' });
    const sources = await chartSources({ runner: runner(192 * 1024) });
    // 4 bytes of base64 for 3, and 822 for the rest of a ConfigMap with the longest names and labels.
    const size = (192 * 1024 * 4) / 3 + 822;
    const refused = `the program's ConfigMap would have ${size} bytes; at most 256000 can be applied`;
    expect(() => renderChart(sources)).toThrow(refused);
    const handover = 'x'.repeat(192 * 1024);
    expect(() => checkProgramSize({ program: new Uint8Array(), handover })).toThrow(refused);
    expect(() => checkProgramSize(runner(191_382))).not.toThrow();
    expect(() => checkProgramSize(runner(191_383))).toThrow('would have 256002 bytes');
  });

  test('has the values without the line end that the template gives', async () => {
    const templates = [file('values.yaml.hbs', '{{values}}|')];
    const text = textOf(renderChart(await chartSources({ templates })), 'values.yaml');
    expect(text).toMatch(/\S\|$/);
  });
});

describe('the folder of a chart', () => {
  const chart = [file('Chart.yaml', 'apiVersion: v2\nname: nvidia-aicr\n'), file('templates/a.yaml', 'a')];

  test('has every file, and nothing of a chart that was there before', async () => {
    const parent = path.join(folder, 'made', 'for', 'it');
    const written = await writeFolder([...chart, file('old.txt', 'old')], parent);
    expect(written).toBe(path.join(parent, 'nvidia-aicr'));
    await writeFolder(chart, parent);
    expect(await readFolder(written)).toEqual(chart);
  });

  test('is read in the order of its paths, which is not that of the folders', async () => {
    const files = [file('a/z', ''), file('b', ''), file('c/d/e', ''), file('c/f', '')];
    const written = await writeFolder([file('Chart.yaml', ''), ...files], folder);
    const read = await readFolder(written);
    expect(read.map((one) => one.path)).toEqual(['Chart.yaml', 'a/z', 'b', 'c/d/e', 'c/f']);
  });

  test('does not take the place of something else', async () => {
    mkdirSync(path.join(folder, 'nvidia-aicr'));
    writeFileSync(path.join(folder, 'nvidia-aicr', 'thesis.txt'), 'mine');
    await expect(writeFolder(chart, folder)).rejects.toThrow(
      /is not this chart; remove it or choose another --out/,
    );
    writeFileSync(path.join(folder, 'nvidia-aicr', 'Chart.yaml'), 'name: nvidia-aicr-fork\n');
    await expect(writeFolder(chart, folder)).rejects.toThrow('is not this chart');
    expect(readFileSync(path.join(folder, 'nvidia-aicr', 'thesis.txt'), 'utf8')).toBe('mine');
  });
});

describe('the archive of a chart', () => {
  const chart = [
    file('templates/b.yaml', 'x'.repeat(70_000)),
    file('Chart.yaml', 'name: nvidia-aicr\n'),
    file('empty', ''),
    file(`${'long-'.repeat(30)}name`, 'long'),
  ];

  test('is what tar makes the same folder of', async () => {
    const archive = path.join(folder, 'chart.tgz');
    writeFileSync(archive, await packChart(chart));
    execFileSync('tar', ['xzf', archive, '-C', folder]);
    const unpacked = await readFolder(path.join(folder, 'nvidia-aicr'));
    const byPath = (a: ChartFile, b: ChartFile): number => (a.path < b.path ? -1 : 1);
    expect(unpacked).toEqual([...chart].sort(byPath));
    const listing = execFileSync('tar', ['tvzf', archive, '--numeric-owner', '--full-time'], {
      encoding: 'utf8',
      env: { ...process.env, TZ: 'UTC' },
    });
    for (const line of listing.trim().split('\n'))
      expect(line).toMatch(/^-rw-r--r-- 0\/0 .* 1970-01-01 00:00:00 nvidia-aicr\//);
  });

  test('ends where its last block does, when that is full', async () => {
    // As many blocks of 512 bytes as a stored block of gzip has bytes: one for the header, and two empty ones at the end.
    const archive = await packChart([{ path: 'a', data: new Uint8Array((0xffff - 3) * 512) }]);
    expect(gunzipSync(archive)).toHaveLength(0xffff * 512);
  });

  test('has the same bytes always', async () => {
    const one = await packChart(chart);
    expect(await packChart([...chart].reverse())).toEqual(one);
    // Written down, so that another Node, zlib or tar-stream that makes other bytes is noticed.
    expect(createHash('sha256').update(one).digest('hex')).toBe(
      '4d5e94f85a73db41fd6a97051d454bcd4ae3184d8385490e023576d52c81109a',
    );
    expect([...one.subarray(0, 10)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
    expect(one.length).toBeGreaterThan(70_000);
    expect(gunzipSync(one).length % 512).toBe(0);
  });
});
