import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { helmPath } from '../../hack/cluster/tools.ts';
import type { RunSpec } from '../../src/contract/index.ts';
import { type HelmCall, noteCall } from './calls.ts';
import { chart, scratchFolder } from './chart.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read Kubernetes objects of many kinds by path
export type Any = any;

export interface RenderOptions {
  readonly release?: string;
  readonly namespace?: string;
  readonly chart?: string;
  /** More of the command line, such as `--set`. */
  readonly args?: readonly string[];
}

/** What both helms made of the same values. */
export interface Rendered {
  readonly text: string;
  readonly objects: readonly Any[];
  readonly job: Any;
  readonly pod: Any;
  readonly installer: Any;
  readonly runSpec: RunSpec;
  /** The only object of a kind; fails when there is none, or more than one. */
  readonly only: (kind: string) => Any;
  /** The ConfigMap with this key. */
  readonly configMapWith: (key: string) => Any;
}

const scratch = scratchFolder('values');
let files = 0;

/** Runs one helm. */
export const helm = (
  generation: 3 | 4,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd?: string,
): HelmCall['answer'] => {
  const answer = start(generation, args, env, cwd);
  noteCall({ generation, args, cwd, answer });
  return answer;
};

const start = (
  generation: 3 | 4,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string | undefined,
): HelmCall['answer'] =>
  new Promise((resolve) => {
    const home = path.join(scratch, `helm-${generation}`);
    const ownEnv = {
      PATH: process.env['PATH'],
      HOME: home,
      HELM_CACHE_HOME: home,
      HELM_CONFIG_HOME: home,
      HELM_DATA_HOME: home,
      // A short process with little memory: with less collecting of garbage it takes a fifth less processor time.
      GOGC: '400',
      ...env,
    };
    const options = { env: ownEnv, cwd, maxBuffer: 64 * 1024 * 1024 };
    execFile(helmPath(generation), args, options, (error, stdout, stderr) =>
      resolve({ ok: error === null, stdout, stderr }),
    );
  });

/** Writes a values file; text is taken as it is, anything else as JSON, which YAML includes. */
export const valuesFile = (values: unknown): string => {
  files += 1;
  const file = path.join(scratch, `values-${files}.yaml`);
  writeFileSync(file, typeof values === 'string' ? values : plain(JSON.stringify(values)));
  return file;
};

/** JSON without the characters that YAML refuses as they are. */
const plain = (json: string): string =>
  json.replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const rendered = new Map<string, HelmCall>();

/**
 * Helm 3 is asked as for an upgrade and Helm 4 as for an install: whatever a test renders, it also shows that the
 * first unchanged upgrade makes nothing else, in particular no other Job.
 *
 * The same values are rendered once in a test file: many cases compare with the same defaults. Under hack/mutation
 * the chart changes in between, so there every test asks anew.
 */
const template = (generation: 3 | 4, values: unknown, options: RenderOptions): ReturnType<typeof helm> => {
  const key = JSON.stringify([generation, values, options]);
  const known = rendered.get(key);
  if (known !== undefined && process.env['NVIDIA_AICR_MUTATION'] === undefined) {
    noteCall(known);
    return known.answer;
  }
  const { release = 'rel', namespace = 'ns', args = [] } = options;
  const place = ['template', release, options.chart ?? chart, '--namespace', namespace];
  const moment = generation === 3 ? ['--is-upgrade'] : [];
  const asked = [...place, '-f', valuesFile(values), ...moment, ...args];
  const answer = helm(generation, asked);
  rendered.set(key, { generation, args: asked, cwd: undefined, answer });
  return answer;
};

/** The objects in what helm printed, in a fixed order: the two helms print them differently. */
export const objectsIn = (text: string): readonly Any[] =>
  parseAllDocuments(text, { version: '1.1' })
    .flatMap((document) => {
      expect('errors' in document ? document.errors : []).toEqual([]);
      const object = 'toJS' in document ? (document.toJS() as Any) : null;
      return object === null ? [] : [object];
    })
    .sort((a, b) => (key(a) < key(b) ? -1 : 1));

const key = (object: Any): string => `${object.kind}/${object.metadata.name}`;

/** Renders with both helms, an upgrade and an install, and fails unless both made the same objects. */
export const renderObjects = async (
  values: unknown,
  options: RenderOptions = {},
): Promise<{ text: string; objects: readonly Any[] }> => {
  const [three, four] = await Promise.all([template(3, values, options), template(4, values, options)]);
  expect(three.stderr, 'what Helm 3 says to values that are to be taken').toBe('');
  expect(four.stderr, 'what Helm 4 says to values that are to be taken').toBe('');
  const objects = objectsIn(four.stdout);
  expect(objectsIn(three.stdout), 'what Helm 3 makes at an upgrade, beside Helm 4 at an install').toEqual(
    objects,
  );
  return { text: four.stdout, objects };
};

/** Renders one installation with both helms. */
export const render = async (values: unknown, options: RenderOptions = {}): Promise<Rendered> => {
  const { text, objects } = await renderObjects(values, options);
  const only = (kind: string): Any => {
    const found = objects.filter((object) => object.kind === kind);
    expect(found.map(key), `the only object of kind ${kind}`).toHaveLength(1);
    return found[0];
  };
  const configMapWith = (name: string): Any =>
    objects.find((object) => object.kind === 'ConfigMap' && object.data?.[name] !== undefined);
  const job = only('Job');
  const pod = job.spec.template.spec;
  return {
    text,
    objects,
    job,
    pod,
    installer: pod.containers[0],
    runSpec: JSON.parse(configMapWith('run.json').data['run.json']) as RunSpec,
    only,
    configMapWith,
  };
};

/** Renders with both helms, and fails unless both refuse; what they say. */
export const refuse = async (values: unknown, options: RenderOptions = {}): Promise<string> => {
  const [three, four] = await Promise.all([template(3, values, options), template(4, values, options)]);
  const taken = { 'Helm 3, an upgrade': three.ok, 'Helm 4, an install': four.ok };
  expect(taken, 'who takes values that are to be refused').toEqual({
    'Helm 3, an upgrade': false,
    'Helm 4, an install': false,
  });
  const lines = guardLines(four.stderr);
  expect(guardLines(three.stderr), 'what Helm 3 says at an upgrade, beside Helm 4 at an install').toEqual(
    lines,
  );
  return lines.length > 0 ? lines.join('\n') : `${three.stderr}\n${four.stderr}`;
};

/** The lines of the chart's own guards in what helm printed. */
const guardLines = (stderr: string): readonly string[] =>
  stderr.includes('templates/guards.yaml')
    ? stderr
        .split('\n')
        .slice(1)
        .filter((line) => /^\S+: /.test(line))
    : [];

/** Criteria that satisfy every guard, without a warning. */
export const FULL = { accelerator: 'h100', service: 'eks', intent: 'training', os: 'ubuntu' } as const;
