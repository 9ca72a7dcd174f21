import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { scratchFolder } from '../render/chart.ts';
import { installCommand, pathWithHelm, runCommand } from './command.ts';

const installed = await installCommand();
const helms = { 3: pathWithHelm(3), 4: pathWithHelm(4) };

/** Checks values files with one helm, or none, on PATH; each line it prints. */
const check = async (
  files: string | Readonly<Record<string, string>>,
  helm: 3 | 4 | 'none' = 4,
): Promise<{ code: number; lines: readonly string[]; stderr: string }> => {
  const cwd = scratchFolder('values');
  const named = typeof files === 'string' ? { 'values.yaml': files } : files;
  const args = Object.entries(named).flatMap(([name, text]) => {
    writeFileSync(path.join(cwd, name), text);
    return ['-f', name];
  });
  const options = helm === 'none' ? { cwd } : { cwd, path: helms[helm] };
  const { code, stdout, stderr } = await runCommand(installed, ['check', ...args], options);
  return { code, lines: stdout.trimEnd().split('\n'), stderr };
};

const FULL = 'service: eks\naccelerator: h100\nintent: training\nos: ubuntu\n';

describe.concurrent('check', () => {
  test('finds nothing wrong with good values', async () => {
    expect(await check(FULL)).toEqual({ code: 0, lines: ['No problems.'], stderr: '' });
  });

  test('lists everything that breaks the schema, in the order of the file', async () => {
    const text = `acelerator: h100
tolerations: []
job:
  tolerration: []
  activeDeadlineSeconds: "5"
  backoffLimit: 3
  backoffLimit: 2
  resources:
    limit: {}
  extraEnv:
    - name: A
      value: x
    - nmae: B
dataPack: on
imagePullPolicy: Sometimes
dataPackSecret: UPPER
runId: [1]
commonLabels:
  "a b": c
recipeArgs: [--nodes, 16, null]
xyzzyx: 1
`;
    const { code, lines, stderr } = await check(text);
    expect(lines).toEqual([
      'values.yaml:1:1: acelerator: no such value; did you mean accelerator?',
      'values.yaml:2:1: tolerations: no such value; did you mean job.tolerations?',
      'values.yaml:4:3: job.tolerration: no such value; did you mean job.tolerations?',
      'values.yaml:5:3: job.activeDeadlineSeconds: is a text; must be a whole number',
      'values.yaml:7:3: this key stands twice; Helm takes the last and drops the others',
      expect.stringMatching(
        /^values\.yaml:9:5: job\.resources\.limit: no such value; did you mean job\.resources\.limits\?$/,
      ),
      'values.yaml:13:7: job.extraEnv[1]: name is missing',
      'values.yaml:13:7: job.extraEnv[1].nmae: no such value; did you mean job.extraEnv[1].name?',
      'values.yaml:14:1: dataPack: is true; must be a text (quote it?)',
      'values.yaml:15:1: imagePullPolicy: is "Sometimes"; must be one of IfNotPresent, Always, Never',
      expect.stringMatching(
        /^values\.yaml:16:1: dataPackSecret: "UPPER" does not have the form of this value\. \w+/,
      ),
      'values.yaml:17:1: runId: is a list; must be a text or true or false or a number',
      'values.yaml:19:3: commonLabels.a b: no such value',
      'values.yaml:20:23: recipeArgs[1]: is 16; must be a text (quote it?)',
      'values.yaml:20:27: recipeArgs[2]: is null; must be a text',
      'values.yaml:21:1: xyzzyx: no such value',
      '16 problems.',
    ]);
    expect(code).toBe(1);
    expect(stderr).toBe('Not checked yet: what values mean together, because of the problems above.\n');
  });

  test.each([3, 4] as const)('asks the guards of the chart through Helm %i', async (helm) => {
    const text = `aicrVersion: 1.10
intent: training
job:
  backoffLimit: 2
  extraEnv:
    - {name: FINE, value: x}
    - name: HOME
      value: x
`;
    const { code, lines, stderr } = await check(text, helm);
    expect(lines).toEqual([
      expect.stringMatching(/^values\.yaml: accelerator: no criteria/),
      expect.stringMatching(/^values\.yaml:2:1: intent: training is refused/),
      expect.stringMatching(/^values\.yaml:1:1: aicrVersion: is a number/),
      expect.stringMatching(/^values\.yaml:7:7: job\.extraEnv\[1\]: HOME is/),
      '4 problems.',
    ]);
    expect([code, stderr]).toEqual([1, '']);
  });

  test('asks them beside a broken schema too', async () => {
    const { lines, stderr } = await check('aicrSha256: abc\nacelerator: h100\n');
    expect(lines).toEqual([
      'values.yaml:2:1: acelerator: no such value; did you mean accelerator?',
      expect.stringMatching(/^values\.yaml: accelerator: no criteria are stated; /),
      expect.stringMatching(/^values\.yaml:1:1: aicrSha256: is a text, /),
      '3 problems.',
    ]);
    expect(stderr).toBe('');
  });

  test.each([3, 4] as const)(
    'takes no warning that Helm %i prints before them for a problem',
    async (helm) => {
      const { lines } = await check('job:\n  tolerations: {}\n', helm);
      expect(lines).toEqual([
        'values.yaml:2:3: job.tolerations: is a map; must be a list',
        expect.stringMatching(/^values\.yaml: accelerator: no criteria are stated; /),
        '2 problems.',
      ]);
    },
  );

  test('says what it could not check without helm, and does not call that fine', async () => {
    expect(await check('intent: training\n', 'none')).toEqual({
      code: 2,
      lines: ['No problems in what was checked.'],
      stderr: 'Not checked: what values mean together, because helm is not on PATH.\n',
    });
  });

  test('does not take a helm that does not work for a fault of the values', async () => {
    const folder = scratchFolder('broken-helm');
    const script = '#!/bin/sh\necho "No version is set for helm" >&2\nexit 126\n';
    writeFileSync(path.join(folder, 'helm'), script, { mode: 0o755 });
    writeFileSync(path.join(folder, 'values.yaml'), FULL);
    const options = { cwd: folder, path: folder };
    expect(await runCommand(installed, ['check', '-f', 'values.yaml'], options)).toEqual({
      code: 2,
      stdout: 'No problems in what was checked.\n',
      stderr:
        'Not checked: what values mean together, because helm does not work: No version is set for helm\n',
    });
  });

  test('takes several files together, and names the one that wins', async () => {
    const { code, lines } = await check({
      'a.yaml': `${FULL}dataPack: oci://a.example/p\n`,
      'b.yaml': '# a comment\n\ndataPack: oci://b.example/p\n',
    });
    expect(lines).toEqual([
      expect.stringMatching(/^b\.yaml:3:1: dataPack: oci:\/\/b\.example\/p has a scheme; /),
      '1 problem.',
    ]);
    expect(code).toBe(1);
  });

  test.each([
    ['a tab', 'job:\n\tbackoffLimit: 1\n', /^values\.yaml:2:1: Tabs/],
    ['an open quote', 'os: "ubuntu\n', /^values\.yaml:\d:\d+: /],
    ['an open list', 'recipeArgs: [a\n', /^values\.yaml:\d:\d+: /],
    [
      'two documents',
      `${FULL}---\nos: cos\n`,
      /^values\.yaml:5:1: a second document begins here; Helm 3 drops it, Helm 4 merges it: keep one$/,
    ],
  ])('points at what is no YAML: %s', async (_name, text, line) => {
    const { code, lines, stderr } = await check(text);
    expect(lines[0]).toMatch(line);
    expect(code).toBe(1);
    expect(stderr).toBe('Not checked yet: what values mean together, because a file is not YAML.\n');
  });

  test('names the file whose anchors unfold to too much', async () => {
    const levels = ['b: &b [*a]', 'c: &c [*b]'].map((line) =>
      line.replace(/\*\w/, (alias) => Array(30).fill(alias).join()),
    );
    const { code, lines } = await check(
      `a: &a [${Array(30).fill('x').join()}]\n${levels.join('\n')}\nd: [*c, *c]\n`,
    );
    expect(lines[0]).toMatch(/^values\.yaml: .*anchors/);
    expect(code).toBe(1);
  });

  test.each(['- a\n', 'text\n'])('refuses a file that is no map: %j', async (text) => {
    const { code, lines } = await check(text);
    expect(lines[0]).toMatch(/^values\.yaml: .*must be a map$/);
    expect(code).toBe(1);
  });

  test('reads an empty file as no values', async () => {
    expect((await check('# nothing\n')).lines[0]).toMatch(/^values\.yaml: accelerator: /);
  });

  test('finds places behind anchors, and reads YAML as Helm does', async () => {
    const { lines } = await check(
      `${FULL}job: &j\n  backoffLimit: 0x2\nrunId: 2026-11-30\ncommonLabels: &l {a: 1:30}\ncommonAnnotations: *l\n`,
    );
    expect(lines).toEqual([
      expect.stringMatching(/^values\.yaml:8:19: commonLabels\.a: "1:30" does not/),
      '1 problem.',
    ]);
  });

  test.each(['e1', 'E5', '7e12345'])(
    'takes %s for the text that it is for Helm, not for a number',
    async (text) => {
      const { lines } = await check(
        `${FULL}intent: ${text}\nos: 1e3\n`.replace(/^(intent: training|os: ubuntu)\n/gm, ''),
      );
      expect(lines).toEqual([
        expect.stringMatching(/^values\.yaml:4:1: os: is 1000; must be a text \(quote it\?\)$/),
        '1 problem.',
      ]);
    },
  );

  test('prints nothing but findings for a key that is no text', async () => {
    const { lines, stderr } = await check(`${FULL}? {a: b}\n: c\n`);
    expect(lines).toEqual([expect.stringContaining('no such value'), '1 problem.']);
    expect(stderr).not.toContain('Warning');
  });

  test('names keys of the user that a guard refuses, whatever is in them', async () => {
    const { lines } = await check(`${FULL}aicrSha256: {linux/amd64: x}\nrecipeConfigMap: No_Name\n`);
    expect(lines).toEqual([
      expect.stringMatching(/^values\.yaml:5:14: aicrSha256\.linux\/amd64: is not a CPU kind /),
      expect.stringMatching(/^values\.yaml:6:1: recipeConfigMap: "No_Name" is not /),
      '2 problems.',
    ]);
  });

  test.each([3, 4] as const)(
    'is not misled by what Helm %i says when it is asked to say more',
    async (helm) => {
      const options = { path: helms[helm], env: { HELM_DEBUG: 'true' }, stdin: 'os: ubuntu\n' };
      const { code, stdout } = await runCommand(installed, ['check', '-f', '-'], options);
      expect(stdout).toMatch(/^-: accelerator: no criteria are stated; .*\n1 problem\.\n$/);
      expect(code).toBe(1);
    },
  );

  test('reads a pipe, which can be read once, with both schema and guards', async () => {
    const cwd = scratchFolder('values');
    const pipe = path.join(cwd, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const [{ code, stdout }] = await Promise.all([
      runCommand(installed, ['check', '-f', 'pipe'], { cwd, path: helms[4] }),
      writeFile(pipe, `${FULL}dataPack: oci://a.example/p\nacelerator: h100\n`),
    ]);
    expect(stdout.trimEnd().split('\n')).toEqual([
      'pipe:6:1: acelerator: no such value; did you mean accelerator?',
      expect.stringMatching(/^pipe:5:1: dataPack: oci:\/\/a\.example\/p has a scheme; /),
      '2 problems.',
    ]);
    expect(code).toBe(1);
  });

  test('takes a file whose name has a comma, at which Helm would split it', async () => {
    expect(await check({ 'eu,1.yaml': FULL })).toEqual({ code: 0, lines: ['No problems.'], stderr: '' });
  });

  test.each(['utf16le', 'utf16be'])('says so of a file in UTF-16: %s', async (order) => {
    const cwd = scratchFolder('values');
    const bytes = Buffer.from(`\uFEFF${FULL}`, 'utf16le');
    writeFileSync(path.join(cwd, 'values.yaml'), order === 'utf16le' ? bytes : bytes.swap16());
    expect(await runCommand(installed, ['check', '-f', 'values.yaml'], { cwd })).toEqual({
      code: 2,
      stdout: '',
      stderr: 'values.yaml is UTF-16, which Helm 4 does not read: save it as UTF-8\n',
    });
  });

  test('says which file is not there', async () => {
    const { code, stderr } = await runCommand(installed, ['check', '-f', 'none.yaml']);
    expect([code, stderr]).toEqual([2, 'none.yaml is not there\n']);
    const folder = await runCommand(installed, ['check', '-f', 'dist']);
    expect([folder.code, folder.stderr]).toEqual([2, 'dist cannot be read: EISDIR\n']);
  });
});
