import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cachePath } from '../../hack/cluster/cache.ts';
import { ensureTools } from '../../hack/cluster/index.ts';
import { type Mutant, mutate, type Score } from '../../hack/mutation/index.ts';
import { fixture, mutants } from './fixture/project.ts';

/** On a machine that has none of the Go programs yet, they are built first. */
const BUILD = 20 * 60_000;
const RUN = 5 * 60_000;

const folder = mkdtempSync(path.join(tmpdir(), 'nvidia-aicr-mutate-'));
const said: string[] = [];

const run = async (
  suite: string,
  equivalents = 'none.yaml',
  fresh = false,
  wanted: (mutant: Mutant) => boolean = () => true,
): Promise<Score> => {
  said.length = 0;
  const say = (line: string): void => void said.push(line);
  return await mutate(fixture(suite, folder, equivalents), {
    workers: 1,
    fresh,
    prove: fresh,
    wanted,
    say,
  });
};

const list = (name: string, entries: readonly object[]): string => {
  writeFileSync(path.join(folder, name), JSON.stringify(entries));
  return name;
};

const survivors = ({ results }: Score): readonly string[] =>
  results.filter(({ status }) => status === 'survived').map(({ mutant }) => mutant.id);

/** The mutant that makes one line of a file of another. */
const planted = (file: string, before: string, after: string): Mutant => {
  const found = mutants.filter(
    (mutant) =>
      mutant.file === file && mutant.original.trim() === before && mutant.replacement.trim() === after,
  );
  const [mutant] = found;
  if (mutant === undefined) throw new Error(`no mutant makes ${after} of ${before} in ${file}`);
  return mutant;
};

/** Reasons for what really changes nothing in the fixture. */
const EQUIVALENT = [
  {
    match: { file: 'templates/config.yaml', original: ' | quote', operator: 'drop-function' },
    reason: 'made up',
  },
];

beforeAll(async () => {
  await ensureTools(['helm3', 'helm4']);
  list('none.yaml', []);
}, BUILD);

afterAll(() => {
  rmSync(cachePath('mutation', path.basename(folder)), { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
});

describe('a run over the fixture', () => {
  let complete: Score;
  beforeAll(async () => {
    complete = await run('complete.suite.ts');
  }, BUILD);

  test.each([
    ['a name that is not cut', 'templates/_names.tpl', '| trunc 10', ''],
    ['a default that is lost', 'templates/_names.tpl', '| default .Release.Name', ''],
    ['labels in the wrong column', 'templates/config.yaml', '4', '2'],
    ['labels that are lost', 'templates/config.yaml', '.Values.labels', 'dict'],
    ['a condition turned round', 'templates/config.yaml', 'not', ''],
    ['another edge', 'templates/config.yaml', 'gt', 'ge'],
    ['a rule with all rights', 'templates/role.yaml', '[get, list]', '["*"]'],
    ['a rule with a verb less', 'templates/role.yaml', ', list', ''],
    ['another value', 'values.schema.json', '1', '0'],
  ])('finds %s', (_name, file, before, after) => {
    const { id } = planted(file, before, after);
    const result = complete.results.find(({ mutant }) => mutant.id === id);
    expect(result?.status).toBe('killed');
    // Which of several tests comes first is the order's business, and what earlier runs have taught it.
    expect(result?.verdict.killer).toMatch(/complete\.suite\.ts > the fixture > /);
  });

  test('tells what no longer renders from what a test noticed', () => {
    const broken = complete.results.filter(({ status }) => status === 'killed-by-render');
    expect(broken.length).toBeGreaterThan(0);
    for (const { verdict } of broken) expect(verdict).toMatchObject({ killer: '', tests: 0 });
  });

  test('leaves none alive', () => {
    expect(survivors(complete)).toEqual([]);
    expect(complete.faults).toEqual([]);
    expect(complete.percent).toBe(100);
  });

  test('ends with the counts', () => {
    const { length } = mutants;
    expect(complete.results).toHaveLength(length);
    expect(said.at(-1)).toBe(`mutants ${length} killed ${length} equivalent 0 score 100.0`);
    expect(said.at(-2)).toMatch(/^\d+ mutants judged in \d+ s by 1 workers, \d+ a minute$/);
  });

  test('checks the whole, each mutated file and the list of equivalents', () => {
    const files = [...new Set(mutants.map(({ file }) => file))];
    expect(complete.checks.map(({ name }) => name)).toEqual(['all mutants', ...files, 'equivalents']);
  });

  test('writes its reports', () => {
    const read = (name: string): string => readFileSync(path.join(folder, name), 'utf8');
    const report = JSON.parse(read('report.json')) as {
      killed: number;
      checks: object[];
      mutants: { id: string }[];
    };
    expect(report.killed).toBe(mutants.length);
    expect(report.checks).toEqual(complete.checks);
    expect(report.mutants.map(({ id }) => id)).toEqual(mutants.map(({ id }) => id));
    expect(read('report.txt').trimEnd().split('\n').at(-1)).toBe(said.at(-1));
    const html = read('report.html');
    expect(html).toContain('class="line killed"');
    expect(html).not.toMatch(/<(script|link|img)|https?:\/\//);
  });

  test('judges nothing twice', async () => {
    const again = await run('complete.suite.ts');
    expect(said[0]).toBe(`${mutants.length} mutants, ${mutants.length} of them judged before`);
    expect(again.percent).toBe(100);
  });
});

describe('a suite without one of its assertions', () => {
  let weak: Score;
  beforeAll(async () => {
    weak = await run('weak.suite.ts', 'none.yaml', true);
  }, BUILD);

  test('loses score, by just what nobody looks at any more', () => {
    expect(weak.percent).toBeLessThan(100);
    const places = weak.results.filter(({ status }) => status === 'survived').map(({ mutant }) => mutant);
    expect(places.length).toBeGreaterThan(5);
    for (const { file, line } of places) {
      expect(file).toBe('templates/role.yaml');
      expect(line).toBeGreaterThanOrEqual(6);
    }
  });

  test('does not pass the gate, whatever its score: these are rights', () => {
    expect(weak.checks.find(({ name }) => name === 'templates/role.yaml')?.faults).not.toEqual([]);
    expect(weak.checks.find(({ name }) => name === 'templates/config.yaml')?.faults).toEqual([]);
    expect(weak.faults).toContainEqual(expect.stringMatching(/survived in templates\/role\.yaml, .* rbac$/));
  });

  test('is told what to look at, as a diff', () => {
    const verbs = planted('templates/role.yaml', '[get, list]', '["*"]');
    const text = said.join('\n');
    expect(text).toContain(`survived ${verbs.id}  templates/role.yaml:9  widen-rights`);
    expect(text).toContain('-     verbs: [get, list]\n+     verbs: ["*"]');
  });

  test('passes once each survivor is argued', async () => {
    const entries = survivors(weak).map((id) => ({ id, reason: 'for the sake of this test' }));
    const argued = await run('weak.suite.ts', list('argued.yaml', entries));
    expect(argued.faults).toEqual([]);
    expect(argued.equivalent).toBe(entries.length);
    expect(argued.percent).toBe(100);
  });

  test('passes in part too: what is argued for the mutants left out is not asked for', async () => {
    const [first = '', ...others] = survivors(weak);
    const entries = [first, ...others].map((id) => ({ id, reason: 'for the sake of this test' }));
    const gone = { id: '0123456789', reason: 'made up' };
    const part = await run(
      'weak.suite.ts',
      list('part.yaml', [...entries, gone]),
      false,
      ({ id }) => id === first,
    );
    expect(part).toMatchObject({ equivalent: 1, survived: 0, percent: 100 });
    expect(part.faults).toEqual([expect.stringContaining('0123456789 (made up) matches no mutant any more')]);
  });
});

describe('the list of equivalents', () => {
  test('may not name what is killed', async () => {
    const { faults } = await run('complete.suite.ts', list('killed.yaml', EQUIVALENT));
    expect(faults).toEqual([expect.stringMatching(/made up.* is none: [0-9a-f]{10} is killed by /)]);
  });

  test('may not name what is gone', async () => {
    const { faults } = await run(
      'complete.suite.ts',
      list('gone.yaml', [{ id: '0123456789', reason: 'made up' }]),
    );
    expect(faults).toEqual([expect.stringContaining('0123456789 (made up) matches no mutant any more')]);
  });

  test.each([
    ['a reason', { id: '0123456789' }, 'gives no reason'],
    ['an id or a match', { reason: 'x' }, 'needs either an id or a match'],
    ['an id that YAML reads as text', { id: 91e193, reason: 'x' }, 'write it in quotes'],
    ['a field that mutants have', { match: { path: 'x' }, reason: 'x' }, 'matches by path'],
  ])('must have %s', async (_name, entry, message) => {
    await expect(run('complete.suite.ts', list('wrong.yaml', [entry]))).rejects.toThrow(message);
  });
});

test(
  'a suite that fails without any fault judges nothing',
  async () => {
    await expect(run('failing.suite.ts', 'none.yaml', true)).rejects.toThrow(
      /fails on the chart as it is[\s\S]*failing\.suite\.ts > fails without any fault/,
    );
  },
  RUN,
);
