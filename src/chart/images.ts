import { defaultsOf, type ValuesModel } from '../schema/index.ts';

/** An image that the chart uses by default. */
export interface ChartImage {
  /** The value that sets it: `nodeImage`. */
  readonly key: string;
  /** As the value states it. */
  readonly reference: string;
  /** With the registry that a reference may leave out: `docker.io/library/node`. */
  readonly repository: string;
  /** Empty when the reference has none. */
  readonly tag: string;
  /** `sha256:` and 64 hex digits. */
  readonly digest: string;
}

/**
 * The images among the defaults, in the order of values.yaml.
 * @throws Error naming an image that is not pinned by digest
 */
export const imagesOf = (model: ValuesModel): readonly ChartImage[] =>
  Object.entries(defaultsOf(model))
    .filter(([key]) => key.endsWith('Image'))
    .map(([key, reference]) => readImage(key, String(reference)));

type Parts = readonly [reference: string, name: string, tag: string | undefined, digest: string];

/**
 * Takes an image reference apart.
 * @param key what holds it, for messages
 * @throws Error when it is not `[registry/]repository[:tag]@sha256:digest`
 */
export const readImage = (key: string, reference: string): ChartImage => {
  const parts = /^([^@]+?)(?::([^:/@]+))?@(sha256:[0-9a-f]{64})$/.exec(reference) as Parts | null;
  if (parts === null) throw new Error(`${key}: ${reference} is not pinned by a sha256 digest`);
  const [, name, tag = '', digest] = parts;
  return { key, reference, repository: qualify(name), tag, digest };
};

/**
 * Completes a reference by Docker's rule: what stands before the first slash is a registry only when it looks like a
 * host.
 * @param name with or without tag and digest: `alpine/k8s:1.34.0`
 */
export const qualify = (name: string): string => {
  if (!name.includes('/')) return `docker.io/library/${name}`;
  return /^(?:[^/]*[.:]|localhost\/)/.test(name) ? name : `docker.io/${name}`;
};
