import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Json, SchemaNode } from '../../src/schema/index.ts';
import { type Any, FULL, refuse, render } from './helm.ts';
import { type KeyCase, NO_EFFECT, RefusedBy, type Seen } from './key-case.ts';
import { KEY_CASES } from './key-cases.ts';
import { RUN_CASES } from './run-cases.ts';
import { SCHEMA_KEYS } from './schema-keys.ts';

/** The values at the edge of what a key takes: both booleans, 0 or the least number, what is empty, each word. */
const edgesOf = (schema: SchemaNode): readonly Json[] => {
  if (schema.enum !== undefined) return schema.enum;
  const minimum = Number(schema['minimum'] ?? 0);
  const takesEmpty = !(schema['minLength'] as number) && new RegExp(String(schema['pattern'] ?? '')).test('');
  const edges: Readonly<Record<string, readonly Json[]>> = {
    boolean: [true, false],
    integer: [Math.max(minimum, 0)],
    number: [Math.max(minimum, 0)],
    string: takesEmpty ? [''] : [],
    array: [[]],
    object: [{}],
  };
  return [schema.type ?? []].flat().flatMap((type) => edges[type as string] ?? []);
};

const runPlace = (schema: SchemaNode): string | undefined =>
  schema['x-runSpec'] === undefined
    ? undefined
    : `runSpec ${String(schema['x-runSpec']).replaceAll('.', ' ')}`;

/** All that is asked of a key, its place and its default filled in. */
const casesOf = (key: string, schema: SchemaNode): readonly (KeyCase & { at: string })[] => {
  const place = runPlace(schema);
  const said = KEY_CASES[key] ?? (RUN_CASES[key] === undefined ? [] : [{ seen: [] }]);
  return said.map((one, index) => {
    const at = one.at ?? place ?? '';
    const more: Seen[] = [];
    if (index === 0 && RUN_CASES[key] !== undefined && at === place) more.push(RUN_CASES[key]);
    return { default: schema.default, ...one, at, seen: [...more, ...one.seen] };
  });
};

/** Edges that have no case yet; in run.json they are seen as they are. */
const openEdges = (key: string, schema: SchemaNode): readonly Json[] => {
  const given = casesOf(key, schema).flatMap(({ seen }) => seen.map(([value]) => value));
  const covered = [...given, schema.default];
  return edgesOf(schema).filter((edge) => !covered.some((value) => isDeepStrictEqual(value, edge)));
};

/** What places are looked for in: objects by what they are for, and how many there are of each kind. */
const viewOf = (rendered: Awaited<ReturnType<typeof render>>): Any => {
  const { objects, job, pod, installer, runSpec, configMapWith } = rendered;
  const ofKind = (kind: string): Any => objects.find((object) => object.kind === kind);
  const kinds: Record<string, number> = {};
  for (const { kind } of objects) kinds[kind] = (kinds[kind] ?? 0) + 1;
  const [node, oras] = pod.initContainers;
  return {
    ...{ kinds, job, pod, node, oras, installer, runSpec, run: configMapWith('run.json') },
    program: objects.find((object) => object.binaryData !== undefined),
    account: ofKind('ServiceAccount'),
    binding: ofKind('ClusterRoleBinding'),
  };
};

const at = (view: Any, place: string): unknown =>
  place.split(' ').reduce((inner, step) => {
    const named = Array.isArray(inner) ? inner.find((element) => element.name === step) : undefined;
    return named ?? inner?.[step];
  }, view);

/** A copy of values with another value at a key; without the key for undefined. */
const withValue = (values: Any, key: string, value: unknown): Any => {
  const [name = '', ...rest] = key.split('.');
  if (rest.length > 0) return { ...values, [name]: withValue(values[name] ?? {}, rest.join('.'), value) };
  const { [name]: _, ...others } = values;
  return value === undefined ? others : { ...others, [name]: value };
};

describe.concurrent('every key of values.schema.json', () => {
  test('has a case, and one for every edge of what it takes', () => {
    const missing = SCHEMA_KEYS.flatMap(([key, schema]) => {
      const cases = casesOf(key, schema);
      // Where nothing but the default is ever seen, nothing is shown.
      const shown = cases.some((one) => one.seen.some(([, seen]) => !isDeepStrictEqual(seen, one.default)));
      if (!shown) return [`${key}: no case shows an effect; add one to key-cases.ts or run-cases.ts`];
      const edges = runPlace(schema) === undefined ? openEdges(key, schema) : [];
      return edges.map((edge) => `${key}: no case for ${JSON.stringify(edge)}`);
    });
    expect(missing).toEqual([]);
  });

  test('is all that there are cases for', () => {
    const known = new Set(SCHEMA_KEYS.map(([key]) => key));
    expect([...Object.keys(KEY_CASES), ...Object.keys(RUN_CASES)].filter((key) => !known.has(key))).toEqual(
      [],
    );
  });

  test.each(SCHEMA_KEYS)('%s shows where it should, by default and at its edges', async (key, schema) => {
    const cases = casesOf(key, schema);
    const edges = runPlace(schema) === undefined ? [] : openEdges(key, schema);
    const all = cases.map((one, index) =>
      index === 0 ? { ...one, seen: [...one.seen, ...edges.map((edge) => [edge, edge] as const)] } : one,
    );
    for (const { base = FULL, at: place, seen, default: byDefault } of all) {
      for (const [given, expected] of [[undefined, byDefault] as const, ...seen]) {
        const values = withValue(base, key, given);
        const what = `${key}: ${JSON.stringify(given) ?? 'not given'}`;
        if (expected instanceof RefusedBy) {
          expect(await refuse(values), what).toContain(`${expected.key}: `);
          continue;
        }
        const rendered = await render(values);
        if (expected === NO_EFFECT) {
          expect(rendered.objects, what).toEqual((await render(base)).objects);
        } else if (place !== '') {
          expect(at(viewOf(rendered), place), `${what}, at ${place}`).toEqual(expected);
        }
      }
    }
  });
});
