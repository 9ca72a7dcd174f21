import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { execa } from 'execa';
import { cachePath } from '../../hack/cluster/index.ts';
import type { Any } from './helm.ts';

/** The last release of each minor that the chart is for: from Chart.yaml's kubeVersion to the newest there is. */
export const KUBERNETES = ['1.32.13', '1.33.13', '1.34.4', '1.35.4', '1.36.3', '1.37.2'] as const;

/** Where the APIs of the chart's objects are described; everything that they refer to is in the same file. */
const FILES: Readonly<Record<string, string>> = {
  v1: 'api__v1_openapi.json',
  'batch/v1': 'apis__batch__v1_openapi.json',
  'rbac.authorization.k8s.io/v1': 'apis__rbac.authorization.k8s.io__v1_openapi.json',
};

/**
 * The folder with the OpenAPI schemas of one Kubernetes release, taken out of the Go module k8s.io/kubernetes by the
 * go command, which checks what it fetches. Kept in the user's cache folder.
 * @throws Error saying what go said and what to do when the module cannot be had
 */
const schemaFolder = async (version: string): Promise<string> => {
  const folder = cachePath('openapi', version);
  if (existsSync(folder)) return folder;
  await mkdir(cachePath('openapi'), { recursive: true });
  const scratch = await mkdtemp(cachePath('openapi', '.fetch-'));
  try {
    // A module cache of its own, which goes again: the module has 20,000 files of which three are wanted.
    const env = { GOMODCACHE: path.join(scratch, 'modules'), GOFLAGS: '-modcacherw' };
    const name = `k8s.io/kubernetes@v${version}`;
    const options = { env, cwd: scratch, reject: false, stdin: 'ignore' } as const;
    const { exitCode, stdout, stderr } = await execa('go', ['mod', 'download', '-json', name], options);
    const answer = stdout === '' ? {} : (JSON.parse(stdout) as { Dir?: string; Error?: string });
    if (exitCode !== 0 || answer.Dir === undefined) {
      throw new Error(
        `The OpenAPI schemas of Kubernetes ${version} cannot be had: go mod download ${name} says: ` +
          `${answer.Error ?? stderr}. Let go reach its module proxy once (go env GOPROXY); what it fetches is kept ` +
          `in ${folder}.`,
      );
    }
    const made = path.join(scratch, 'schemas');
    for (const file of Object.values(FILES))
      await cp(path.join(answer.Dir, 'api/openapi-spec/v3', file), path.join(made, file));
    // Whoever was quicker has put the same there.
    await rename(made, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return folder;
};

const inRange = (bits: bigint) => (value: number) => Math.abs(value) < 2 ** Number(bits - 1n);

const FORMATS = {
  int32: { type: 'number', validate: inRange(32n) },
  int64: { type: 'number', validate: inRange(64n) },
  double: { type: 'number', validate: Number.isFinite },
  byte: /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  'int-or-string': true,
  'date-time': /^\d{4}-\d\d-\d\dT/,
} as const;

/** A copy of a schema in which an object has no fields but those that are named: a misspelt one is an error. */
const closed = (node: Any): Any => {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([keyword, value]) => [keyword, closed(value)]));
  const named = typeof node.properties === 'object' && node.type === 'object';
  return named && node.additionalProperties === undefined ? { ...copy, additionalProperties: false } : copy;
};

/** What is wrong with an object, a line each; nothing when the schema takes it. */
export type Checker = (object: Any) => readonly string[];

/**
 * Compiles the schemas of one Kubernetes release, each kind when it first comes.
 * @returns a checker of objects of any of the chart's kinds
 */
export const objectChecker = async (version: string): Promise<Checker> => {
  const folder = await schemaFolder(version);
  const ajv = new Ajv({ strict: false, allErrors: true, formats: FORMATS as Any });
  const schemas = new Map<string, Any>();
  for (const [apiVersion, file] of Object.entries(FILES)) {
    const { components } = JSON.parse(await readFile(path.join(folder, file), 'utf8')) as Any;
    schemas.set(apiVersion, components.schemas);
    ajv.addSchema({ $id: apiVersion, components: closed(components) });
  }
  const compiled = new Map<string, ValidateFunction>();
  const compile = (apiVersion: string, kind: string): ValidateFunction | undefined => {
    const name = Object.entries(schemas.get(apiVersion) ?? {}).find(([, schema]: Any) =>
      schema['x-kubernetes-group-version-kind']?.some(
        (one: Any) => one.kind === kind && schema.properties?.metadata,
      ),
    )?.[0];
    return name === undefined
      ? undefined
      : ajv.compile({ $ref: `${apiVersion}#/components/schemas/${name}` });
  };
  return (object) => {
    const key = `${object.apiVersion} ${object.kind}`;
    const validate = compiled.get(key) ?? compile(object.apiVersion, object.kind);
    if (validate === undefined) return [`${key}: Kubernetes ${version} has no such kind`];
    compiled.set(key, validate);
    validate(object);
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${object.kind} ${object.metadata.name}${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  };
};
