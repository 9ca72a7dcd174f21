import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { FULL, render } from './helm.ts';
import { commands, notes } from './notes.ts';

const root = new URL('../../', import.meta.url);
const read = async (file: string): Promise<string> => readFile(new URL(file, root), 'utf8');

const pages = [
  'README.md',
  ...(await readdir(new URL('docs/', root)))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
];

/** Fenced blocks of one language on a page, with the line they begin at. */
const blocksOf = (page: string, text: string, language: string): readonly (readonly [string, string])[] =>
  [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)]
    .filter((block) => block[1] === language)
    .map((block) => [`${page}:${text.slice(0, block.index).split('\n').length}`, block[2] ?? ''] as const);

const texts = await Promise.all(pages.map(async (page) => [page, await read(page)] as const));
const yamlBlocks = texts.flatMap(([page, text]) => blocksOf(page, text, 'yaml'));
const commandBlocks = texts.flatMap(([page, text]) => blocksOf(page, text, ''));

describe.concurrent('the pages', () => {
  // What is no values file, such as an object of Flux, says its kind.
  test.each(yamlBlocks.filter(([, block]) => !/^kind: /m.test(block)))(
    'show values that work as they stand: %s',
    async (_place, block) => {
      expect(Object.keys(parse(block))).not.toEqual([]);
      await render(block);
    },
  );

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
});
