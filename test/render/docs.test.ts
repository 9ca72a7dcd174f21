import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { blocksOf, deliveriesOf, type Example, readExamples, readPages } from '../examples.ts';
import { FULL, render, valuesFile } from './helm.ts';
import { faultsOf } from './k0rdent-fields.ts';
import { commands, notes } from './notes.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = async (file: string): Promise<string> => readFile(path.join(root, file), 'utf8');

const examples = await readExamples();
const texts = [...(await readPages())];
const commandBlocks = texts.flatMap(([page, text]) => blocksOf(page, text, ''));

/** Kinds of which an API server says whether they are right (examples-apiserver.test.ts). */
const OTHERS_CHECK = [
  'Namespace',
  'Secret',
  'ConfigMap',
  'HelmRelease',
  'OCIRepository',
  'HelmRepository',
  'Application',
];

describe.concurrent('the pages', () => {
  test('show how to read verdict and evidence as the notes do', async () => {
    const text = await notes(
      { ...FULL, deployFlags: '', validate: { enabled: true, emitEvidence: true } },
      { namespace: '<ns>' },
    );
    const shown = new Set(commandBlocks.flatMap(([, block]) => block.split('\n').map((line) => line.trim())));
    const readers = commands(text).filter((line) => /ctrf|evidence/.test(line));
    expect(readers).toHaveLength(4);
    for (const line of readers) expect(shown).toContain(line);
  });

  test.each(texts)('link to what is there: %s', async (page, text) => {
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map((link) => link[1] ?? '');
    await Promise.all(links.map((link) => read(new URL(link, new URL(page, 'file:///')).pathname.slice(1))));
  });

  test('are all named on the first one', () => {
    const first = texts.find(([page]) => page === 'README.md')?.[1] ?? '';
    const others = texts.map(([page]) => page).filter((page) => page !== 'README.md');
    expect(others.filter((page) => !first.includes(`](${page})`))).toEqual([]);
  });
});

describe.concurrent('the examples', () => {
  const objects = examples.flatMap((example) =>
    example.objects.map((object) => [example.place, object] as const),
  );
  const deliveries = examples.flatMap((example) =>
    deliveriesOf(example).map((delivery) => [`${example.place} ${delivery.object}`, delivery] as const),
  );

  /** Charts and values for them: subchart.test.ts. */
  const isUmbrella = ({ place }: Example) => place.startsWith('docs/umbrella.md:');
  const files = examples.filter((example) => example.objects.length === 0 && !isUmbrella(example));

  test.each(files.map((one) => [one.place, one] as const))(
    'are values that work as they stand: %s',
    async (_place, { text }) => {
      await render(text);
    },
  );

  test.each(deliveries)('deliver values that work as they stand: %s', async (_place, delivery) => {
    const { release, namespace, values } = delivery;
    const [first, ...others] = values;
    const args = others.flatMap((text) => ['-f', valuesFile(text)]);
    const { job } = await render(first, { release, namespace, args });
    expect(job.metadata).toMatchObject({ namespace, name: expect.stringMatching(`^${release}-install-`) });
  });

  test('cover those who deliver', () => {
    const kinds = new Set(deliveries.map(([, { object }]) => object.split('/')[0]));
    expect(kinds).toEqual(new Set(['HelmRelease', 'Application', 'MultiClusterService']));
  });

  test.each(objects)('hold objects that somebody checks: %s', (_place, object) => {
    const faults = faultsOf(object);
    if (faults === undefined) expect(OTHERS_CHECK).toContain(object.kind);
    else expect(faults).toEqual([]);
  });

  test('are refused for a field that is not there, and for a missing one', () => {
    const [, service] = objects.find(([, object]) => object.kind === 'MultiClusterService') ?? [];
    const first = service.spec.serviceSpec.services[0];
    const wrong = (changes: object) =>
      faultsOf({ ...service, spec: { serviceSpec: { services: [{ ...first, ...changes }] } } });
    expect(wrong({})).toEqual([]);
    expect(wrong({ valueFrom: [] })).toEqual([expect.stringContaining('"valueFrom"')]);
    expect(wrong({ template: undefined })).toEqual([expect.stringContaining('"template"')]);
  });
});
