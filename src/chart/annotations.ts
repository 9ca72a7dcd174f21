import { stringify } from 'yaml';
import type { Change } from './changelog.ts';
import type { ChartImage } from './images.ts';

/** What a chart says of itself to those who list charts. */
export interface Listing {
  readonly version: string;
  /** SPDX identifier. */
  readonly license: string;
  /** Web address of the source, or empty. */
  readonly repository: string;
  readonly images: readonly ChartImage[];
  readonly changes: readonly Change[];
}

/**
 * The annotations of Chart.yaml that Artifact Hub reads, as YAML. Lists are YAML within a text, because an
 * annotation is a text. https://artifacthub.io/docs/topics/annotations/helm/
 */
export const annotationsYaml = ({ version, license, repository, images, changes }: Listing): string => {
  const links = [
    { name: 'NVIDIA AI Cluster Runtime', url: 'https://github.com/NVIDIA/aicr' },
    ...(repository === '' ? [] : [{ name: 'source', url: repository }]),
  ];
  const text = (value: unknown): string => stringify(value, { lineWidth: 0 });
  const annotations: Record<string, string> = {
    'artifacthub.io/category': 'ai-machine-learning',
    'artifacthub.io/license': license,
    'artifacthub.io/prerelease': String(version.includes('-')),
    'artifacthub.io/containsSecurityUpdates': String(changes.some(({ kind }) => kind === 'security')),
    'artifacthub.io/images': text(
      images.map(({ key, reference }) => ({ name: nameOf(key), image: reference })),
    ),
    'artifacthub.io/links': text(links),
    ...(changes.length === 0 ? {} : { 'artifacthub.io/changes': text(changes) }),
  };
  return text({ annotations }).trimEnd();
};

/** `nodeImage` -> `node`: Artifact Hub takes lower-case names with dashes. */
const nameOf = (key: string): string =>
  key.slice(0, -'Image'.length).replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
