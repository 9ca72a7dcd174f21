import { expect } from 'vitest';
import type { Json } from '../../src/schema/index.ts';
import type { Flat } from './arbitrary-values.ts';
import type { Any } from './helm.ts';
import { SCHEMA_KEYS } from './schema-keys.ts';

/** Keys whose value stands in run.json in another form, or only beside others: they have cases of their own. */
const OTHERWISE = new Set([
  ...['aicrVersion', 'aicrSha256', 'aicrSource.baseUrl', 'dataPackSecret', 'dataPackAuth.dockerconfigjson'],
  ...['validate.publish.identityTokenSecret.name', 'validate.publish.registrySecret'],
  ...['statusConfigMap', 'job.rerunOnUpgrade', 'lock.waitSeconds'],
]);

/** Maps whose values become texts of objects. */
const TEXT_MAPS: Readonly<Record<string, (at: Places) => Any>> = {
  'job.annotations': ({ job }) => job.metadata.annotations,
  'job.podAnnotations': ({ job }) => job.spec.template.metadata.annotations,
  'job.nodeSelector': ({ pod }) => pod.nodeSelector,
  commonAnnotations: ({ run }) => run.metadata.annotations,
};

/** Values that are handed on as they are. */
const HANDED_ON: Readonly<Record<string, (at: Places) => Any>> = {
  runtimeImage: ({ pod }) => pod.containers[0].image,
  nodeImage: ({ pod }) => pod.initContainers[0].image,
  'job.priorityClassName': ({ pod }) => pod.priorityClassName ?? '',
  'job.runtimeClassName': ({ pod }) => pod.runtimeClassName ?? '',
  'job.tolerations': ({ pod }) => pod.tolerations ?? [],
  'job.hostAliases': ({ pod }) => pod.hostAliases ?? [],
  'job.extraEnvFrom': ({ pod }) => pod.containers[0].envFrom ?? [],
};

interface Places {
  readonly job: Any;
  readonly pod: Any;
  /** The ConfigMap with run.json. */
  readonly run: Any;
}

/** A scalar as the text that the chart makes of it. */
const text = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/**
 * What a program finds in a variable for which Kubernetes was given this value, were every name known:
 * https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.36/#envvar-v1-core
 */
const expanded = (value: string): string =>
  value.replaceAll(/\$(\$|\([^)]*\))/g, (_, what: string) => (what === '$' ? '$' : 'EXPANDED'));

/** Fails unless every value that was given stands where it belongs, byte for byte. */
export const expectArrived = (flat: Flat, objects: readonly Any[]): void => {
  const job = objects.find((object) => object.kind === 'Job');
  const run = objects.find((object) => object.data?.['run.json'] !== undefined);
  const pod = job.spec.template.spec;
  const places = { job, run, pod };
  const runSpec: Any = JSON.parse(run.data['run.json']);
  const given = SCHEMA_KEYS.flatMap(([key, schema]) => {
    const value = flat[key] ?? undefined;
    return value === undefined ? [] : [{ key, schema, value }];
  });
  for (const { key, schema, value } of given) {
    const place = String(schema['x-runSpec'] ?? '');
    if (place !== '' && !OTHERWISE.has(key)) {
      const seen = place.split('.').reduce((inner, name) => inner[name], runSpec);
      expect(seen, key).toEqual(key === 'runId' ? text(value) : value);
    }
    const map = TEXT_MAPS[key]?.(places);
    for (const [name, entry] of Object.entries((TEXT_MAPS[key] ? value : {}) as Record<string, Json>)) {
      if (entry !== null) expect(map?.[name], `${key}: ${name}`).toBe(text(entry));
    }
    const handed = HANDED_ON[key]?.(places);
    if (handed !== undefined) expect(handed, key).toEqual(value);
    if (key === 'job.extraVolumes') {
      const more = value as readonly Json[];
      expect(pod.volumes.slice(pod.volumes.length - more.length), key).toEqual(more);
    }
    if (key === 'job.extraEnv') {
      for (const variable of value as readonly Any[]) {
        const seen = pod.containers[0].env.find((one: Any) => one.name === variable.name);
        if (!variable.valueFrom) expect(expanded(seen.value), key).toBe(text(variable.value ?? ''));
      }
    }
  }
};
