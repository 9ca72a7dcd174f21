/** What users copy: the files of examples/ and the YAML blocks of the pages, as objects and as values. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';

const root = fileURLToPath(new URL('../', import.meta.url));

// biome-ignore lint/suspicious/noExplicitAny: objects of many kinds, read by path
type Any = any;

/** One piece of YAML. */
export interface Example {
  /** `docs/flux.md:12` or `examples/flux/helmrelease.yaml` */
  readonly place: string;
  readonly text: string;
  /** The Kubernetes objects in it; none when it is a values file. */
  readonly objects: readonly Any[];
}

/** What one reconciler hands to Helm. */
export interface Delivery {
  /** The object that asks for it: `HelmRelease/nvidia-aicr`. */
  readonly object: string;
  readonly release: string;
  readonly namespace: string;
  /** Values files in Helm's order. */
  readonly values: readonly string[];
}

/** Pages with their texts. */
export const readPages = async (): Promise<ReadonlyMap<string, string>> => {
  const docs = (await readdir(path.join(root, 'docs'))).filter((file) => file.endsWith('.md'));
  const pages = ['README.md', ...docs.map((file) => `docs/${file}`)];
  const texts = pages.map(async (page) => [page, await readFile(path.join(root, page), 'utf8')] as const);
  return new Map(await Promise.all(texts));
};

/** Fenced blocks of one language on a page, with the line they begin at. */
export const blocksOf = (
  page: string,
  text: string,
  language: string,
): readonly (readonly [string, string])[] =>
  [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)]
    .filter((block) => block[1] === language)
    .map((block) => [`${page}:${text.slice(0, block.index).split('\n').length}`, block[2] ?? ''] as const);

/** Every example there is. */
export const readExamples = async (): Promise<readonly Example[]> => {
  const files = (await readdir(path.join(root, 'examples'), { recursive: true }))
    .filter((file) => file.endsWith('.yaml'))
    .sort();
  const contents = files.map(
    async (file) => [`examples/${file}`, await readFile(path.join(root, 'examples', file), 'utf8')] as const,
  );
  const pages = [...(await readPages())];
  const blocks = pages.flatMap(([page, text]) => blocksOf(page, text, 'yaml'));
  return [...(await Promise.all(contents)), ...blocks].map(([place, text]) => ({
    place,
    text,
    objects: objectsIn(place, text),
  }));
};

const objectsIn = (place: string, text: string): readonly Any[] => {
  const documents = parseAllDocuments(text).map((document) => {
    if (document.errors[0] !== undefined) throw new Error(`${place}: ${document.errors[0].message}`);
    return document.toJS() as Any;
  });
  return documents.filter((object) => typeof object?.kind === 'string');
};

/** What the objects of an example hand to Helm for this chart; Secrets they take values from stand beside them. */
export const deliveriesOf = ({ place, objects }: Example): readonly Delivery[] => {
  /** Values in ConfigMaps and Secrets: Flux reads one key, Sveltos all of them. */
  const referenced = (references: readonly Any[] = []): readonly string[] =>
    references.flatMap(({ kind, name, valuesKey }) => {
      const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
      if (found === undefined) throw new Error(`${place}: ${kind} ${name} is not beside what reads it`);
      const data: Record<string, string> = { ...found.data, ...found.stringData };
      return Object.keys(data)
        .filter((key) => valuesKey === undefined || key === valuesKey)
        .map((key) => data[key] ?? '');
    });
  return objects.flatMap((object): readonly Delivery[] => {
    const { kind, metadata, spec } = object;
    const common = { object: `${kind}/${metadata.name}` };
    if (kind === 'HelmRelease') {
      const values = [...referenced(spec.valuesFrom), JSON.stringify(spec.values ?? {})];
      return [
        { ...common, release: spec.releaseName ?? metadata.name, namespace: metadata.namespace, values },
      ];
    }
    if (kind === 'Application') {
      const { helm } = spec.source;
      return [
        {
          ...common,
          release: helm.releaseName ?? metadata.name,
          namespace: spec.destination.namespace,
          values: [JSON.stringify(helm.valuesObject)],
        },
      ];
    }
    if (kind !== 'MultiClusterService') return [];
    return (spec.serviceSpec.services as readonly Any[])
      .filter(({ template }) => template.startsWith('nvidia-aicr-'))
      .map((service) => ({
        ...common,
        release: service.name,
        namespace: service.namespace,
        values: [...referenced(service.valuesFrom), service.values ?? ''],
      }));
  });
};

/** Texts of an example that Sveltos runs through Go's templates before it uses them. */
export const sveltosTexts = ({ objects }: Example): readonly string[] =>
  objects
    .filter(({ kind }) => kind === 'MultiClusterService')
    .flatMap(({ spec }) => (spec.serviceSpec.services as readonly Any[]).map(({ values }) => values ?? ''));

/** A values file as data. */
export const parseValues = (text: string): Any => parse(text, { version: '1.1' });
