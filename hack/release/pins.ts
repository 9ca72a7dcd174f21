import { qualify } from '../../src/chart/index.ts';
import { findChecksum } from '../../src/runner/steps/download/checksums.ts';
import type { ValuesSchema } from '../../src/schema/index.ts';
import { fetchManifest } from './artifact.ts';

/** What moves together: a release of aicr with its two archives, and the images. */
export interface Pins {
  /** With `v`. */
  readonly aicrVersion: string;
  /** 64 lower-case hex digits each. */
  readonly aicrSha256: { readonly amd64: string; readonly arm64: string };
  /** By the value that sets it, for example `nodeImage`: `registry/repository:tag@sha256:digest`. */
  readonly images: Readonly<Record<string, string>>;
}

const ARCHITECTURES = ['amd64', 'arm64'] as const;

/**
 * Reads both hashes out of a release's checksums file.
 * @param version with `v`
 * @param origin where the text came from, for messages
 * @throws RunError `ChecksumsInvalid` when a line is missing, malformed or there twice
 */
export const readHashes = (
  file: { readonly text: string; readonly contentType: string },
  version: string,
  origin: string,
): Pins['aicrSha256'] => {
  const hash = (arch: string): string =>
    findChecksum(file, `aicr_${version.slice(1)}_linux_${arch}.tar.gz`, origin);
  return { amd64: hash('amd64'), arm64: hash('arm64') };
};

/**
 * Looks up what a tag stands for now.
 * @param key the value, for messages
 * @param reference `repository:tag`, in Docker's short form or whole; a digest in it is replaced
 * @returns the reference with the digest of the tag's index
 * @throws Error when there is no tag, no such image, or no image for both CPU kinds
 */
export const resolveImage = async (key: string, reference: string): Promise<string> => {
  const tagged = reference.replace(/@.*$/, '');
  if (!/:[^:/]+$/.test(tagged))
    throw new Error(`${key}: ${reference} has no tag; write ${key}=${tagged}:<tag>`);
  const manifest = await fetchManifest(qualify(tagged));
  if (manifest === undefined) throw new Error(`${key}: ${tagged} is not in its registry`);
  const platforms = (manifest.document.manifests ?? []).map(({ platform }) => platform);
  for (const arch of ARCHITECTURES) {
    if (!platforms.some((platform) => platform?.os === 'linux' && platform.architecture === arch))
      throw new Error(`${key}: ${tagged} has no image for linux/${arch}`);
  }
  return `${tagged}@${manifest.digest}`;
};

/**
 * Puts pins into the text of values.schema.json and leaves everything else of it as it stands.
 * @throws Error naming a default that was not found where it should be
 */
export const applyPins = (text: string, pins: Pins): string => {
  const before = JSON.parse(text) as ValuesSchema;
  const wanted: Readonly<Record<string, unknown>> = {
    aicrVersion: pins.aicrVersion,
    aicrSha256: pins.aicrSha256,
    ...pins.images,
  };
  let after = text;
  for (const [key, value] of Object.entries(wanted)) {
    after = replaceOnce(after, key, before.properties[key]?.default, value);
  }
  // The text was changed by its look; what counts is what it says.
  const { properties } = JSON.parse(after) as ValuesSchema;
  for (const [key, value] of Object.entries(wanted)) {
    if (JSON.stringify(properties[key]?.default) !== JSON.stringify(value))
      throw new Error(`values.schema.json: ${key} has its default where this script did not look for it`);
  }
  return after;
};

/** Replaces the default of one key. The text has it in JSON, with blanks that are not ours to choose. */
const replaceOnce = (text: string, key: string, from: unknown, to: unknown): string => {
  const spelling = JSON.stringify(from ?? null)
    .split(/(?<=[{,:])|(?=})/)
    .map(literally)
    .join('\\s*');
  const pattern = new RegExp(`("${key}": \\{(?:(?!\\n {4}\\}).)*?"default":\\s*)${spelling}`, 'gs');
  const found = text.match(pattern)?.length ?? 0;
  if (found !== 1)
    throw new Error(`values.schema.json: the default of ${key} was found ${found} times, not once`);
  return text.replace(pattern, (_all, start: string) => `${start}${JSON.stringify(to)}`);
};

const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
