import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isScalar, parseAllDocuments, visit } from 'yaml';
import { anyChange, anyValues, type Flat } from './arbitrary-values.ts';
import { expectArrived } from './arrival.ts';
import { chart } from './chart.ts';
import { type Any, FULL, helm, objectsIn, type RenderOptions, valuesFile } from './helm.ts';
import { SCHEMA_KEYS } from './schema-keys.ts';
import { umbrella } from './umbrella.ts';

/** The same values in every run of the suite; another seed tries others: `SEED=7 npx vitest run …`. */
const seed = Number(process.env['SEED'] ?? 2_026);

/** What fast-check is told. A mutant's failure is not made smaller; another's not for minutes. */
const parameters = (numRuns: number): fc.Parameters<unknown> => ({
  seed,
  numRuns,
  endOnFailure: process.env['NVIDIA_AICR_MUTATION'] !== undefined,
  interruptAfterTimeLimit: 4 * 60_000,
});

/** Values as a file has them, over criteria that satisfy the guards. */
const valuesOf = (flat: Flat): Any => {
  const values: Any = { ...FULL };
  for (const [key, value] of Object.entries(flat)) {
    const names = key.split('.');
    const last = names.pop() ?? '';
    let inner = values;
    for (const name of names) {
      inner[name] ??= {};
      inner = inner[name];
    }
    inner[last] = value;
  }
  return values;
};

type Outcome = Awaited<ReturnType<typeof helm>>;

const template = async (
  generation: 3 | 4,
  values: unknown,
  options: RenderOptions = {},
): Promise<Outcome> => {
  const { release = 'rel', args = [] } = options;
  const place = ['template', release, options.chart ?? chart, '--namespace', 'ns'];
  return helm(generation, [...place, '-f', valuesFile(values), ...args]);
};

const both = async (values: unknown, options?: RenderOptions): Promise<readonly [Outcome, Outcome]> =>
  Promise.all([template(3, values, options), template(4, values, options)]);

const named = new Set(SCHEMA_KEYS.map(([key]) => key));

/** Fails unless helm says nothing but what guards say, and each line begins with a key. */
const expectGuards = ({ stderr }: Outcome): void => {
  // Helm warns in lines of its own of a map that stands in the place of a text.
  const [, said = ''] = stderr.split(
    /^Error: execution error at \(.*nvidia-aicr\/templates\/guards\.yaml:\d+:\d+\): \n\n/m,
  );
  expect(stderr).not.toMatch(/nil pointer|YAML parse error|error calling|can't evaluate|wrong type/);
  const lines = said.split('\n').filter((line) => line !== '' && !/^Use --debug/.test(line));
  expect(lines, stderr).not.toEqual([]);
  for (const line of lines) {
    const key = /^([A-Za-z0-9]+(?:\.[A-Za-z0-9]+)*)(?:\[\d+\])?: \S/.exec(line)?.[1] ?? '';
    expect(named.has(key) || key.startsWith('aicrSha256.'), `names a key: ${line}`).toBe(true);
  }
};

/** Fails when a whole number is written with an exponent, which the API server does not read as one. */
const expectPlainNumbers = (text: string): void => {
  for (const document of parseAllDocuments(text, { version: '1.1' })) {
    if (!('errors' in document)) continue;
    visit(document, (_key, node) => {
      if (!isScalar(node) || !Number.isSafeInteger(node.value)) return;
      expect(node.source).not.toMatch(/[eE.]/);
    });
  }
};

const jobOf = (outcome: Outcome): Any => objectsIn(outcome.stdout).find((object) => object.kind === 'Job');

/** The part of a Job that nobody can change in place. */
const immutable = (job: Any): Any => {
  const { activeDeadlineSeconds: _a, ttlSecondsAfterFinished: _b, ...spec } = job.spec;
  return spec;
};

/** Entries of a map in the other order, at every depth. */
const reversed = (value: Any): Any =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([name, inner]) => [name, reversed(inner)]),
      )
    : value;

describe('any values that the schema allows', { timeout: 5 * 60_000 }, () => {
  test('render to valid YAML in which every text arrives, or are refused by a message that names a key', async () => {
    const seen = { rendered: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(anyValues, async (flat) => {
        const values = valuesOf(flat);
        const [three, four] = await both(values);
        expect(three.ok, `Helm 3: ${three.stderr}\nHelm 4: ${four.stderr}`).toBe(four.ok);
        if (!four.ok) {
          seen.refused += 1;
          expectGuards(three);
          expectGuards(four);
          return;
        }
        seen.rendered += 1;
        const objects = objectsIn(four.stdout);
        expect(objectsIn(three.stdout)).toEqual(objects);
        expectPlainNumbers(four.stdout);
        expectArrived(flat, objects);
      }),
      parameters(80),
    );
    // Were nearly all of them refused, little would be shown.
    expect(seen.rendered).toBeGreaterThan(25);
    expect(seen.refused).toBeGreaterThan(10);
  });

  test('are another Job exactly when its immutable part is another, and the same bytes in any order', async () => {
    const seen = { same: 0, other: 0 };
    await fc.assert(
      fc.asyncProperty(anyValues, anyChange, async (flat, change) => {
        const values = valuesOf(flat);
        const [one, again, changed] = await Promise.all([
          template(4, values),
          template(4, reversed(values)),
          template(3, valuesOf({ ...flat, ...change })),
        ]);
        expect(again).toEqual(one);
        if (!one.ok || !changed.ok) return;
        const [before, after] = [jobOf(one), jobOf(changed)];
        const sameName = before.metadata.name === after.metadata.name;
        const sameSpec =
          JSON.stringify(reversed(immutable(before))) === JSON.stringify(reversed(immutable(after)));
        expect(sameName, `${before.metadata.name} ${after.metadata.name}`).toBe(sameSpec);
        seen[sameName ? 'same' : 'other'] += 1;
      }),
      parameters(25),
    );
    expect(seen.same).toBeGreaterThan(1);
    expect(seen.other).toBeGreaterThan(1);
  });

  test('make the same objects under an alias in an umbrella chart', async () => {
    const aliased = umbrella([{ name: 'nvidia-aicr', version: '0.3.0', alias: 'gpu' }]);
    await fc.assert(
      fc.asyncProperty(anyValues, async (flat) => {
        const values = valuesOf(flat);
        const [root, three, four] = await Promise.all([
          template(4, values),
          template(3, { gpu: values }, { chart: aliased }),
          template(4, { gpu: values }, { chart: aliased }),
        ]);
        expect([three.ok, four.ok]).toEqual([root.ok, root.ok]);
        if (!root.ok) return;
        expect(objectsIn(three.stdout)).toEqual(objectsIn(root.stdout));
        expect(objectsIn(four.stdout)).toEqual(objectsIn(root.stdout));
      }),
      parameters(8),
    );
  });
});

test('helm lint passes where a guard refuses, so it proves no guard', async () => {
  const values = valuesFile({ intent: 'training' });
  for (const generation of [3, 4] as const) {
    expect((await helm(generation, ['lint', chart, '-f', values])).ok).toBe(true);
    expect((await helm(generation, ['template', 'rel', chart, '-f', values])).ok).toBe(false);
  }
});
