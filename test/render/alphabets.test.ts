import { describe, expect, test } from 'vitest';
import { chartSources } from './chart.ts';
import { FULL, refuse, render } from './helm.ts';
import { everywhere } from './schema-refusals.ts';

/** What may stand in front, inside and at the end of a text; `around` makes the text of one character. */
interface Alphabet {
  readonly front: RegExp;
  readonly inside: RegExp;
  readonly end: RegExp;
  readonly around?: readonly [front: string, end: string];
}

const word: Alphabet = { front: /[!-~ü]/, inside: /[!-~ü]/, end: /[!-~ü]/ };
/** Names of objects: https://kubernetes.io/docs/concepts/overview/working-with-objects/names/ */
const object: Alphabet = { front: /[a-z0-9]/, inside: /[-.a-z0-9]/, end: /[a-z0-9]/ };
/** Values of labels, and keys of maps behind the slash. */
const label: Alphabet = { front: /[A-Za-z0-9]/, inside: /[-_.A-Za-z0-9]/, end: /[A-Za-z0-9]/ };

/** By the place of a pattern in values.schema.json. */
const ALPHABETS: Readonly<Record<string, Alphabet>> = {
  accelerator: word,
  service: word,
  intent: word,
  os: word,
  platform: word,
  image: word,
  objectName: object,
  // What it ends in is taken off.
  fullnameOverride: { ...object, end: /[-.a-z0-9]/ },
  nameOverride: label,
  labels: label,
  'aicrSource.baseUrl': { ...word, front: /[!-.0-~ü]/, around: ['https://', ''] },
  'job.extraEnv.name': { front: /[-._a-zA-Z]/, inside: /[-._a-zA-Z0-9]/, end: /[-._a-zA-Z0-9]/ },
  quantity: { front: /[0-9]/, inside: /[0-9.eE]/, end: /[0-9mkKMGTPE]/, around: ['', '1'] },
};

const CHARACTERS = [...Array(95).keys()]
  .map((code) => String.fromCharCode(32 + code))
  .concat('\t', '\n', 'ü');

/** Every `pattern` of the schema, by its place without the words of the schema itself. */
const patternsIn = (node: unknown, place: readonly string[] = []): readonly (readonly [string, string])[] =>
  typeof node !== 'object' || node === null
    ? []
    : Object.entries(node).flatMap(([key, child]) => {
        if (key === 'pattern') return [[place.join('.'), String(child)] as const];
        const own = /^(properties|definitions|items|patternProperties|\^.*)$/.test(key);
        return patternsIn(child, own ? place : [...place, key]);
      });

const patterns = patternsIn((await chartSources()).schema);

describe('names of objects', () => {
  const pattern = new RegExp(patterns.find(([place]) => place === 'objectName')?.[1] ?? '', 'u');

  test.each(['', 'a', '0', 'a--b', 'a.b-c.d0'])('may be %j', (name) => {
    expect(name).toMatch(pattern);
  });

  test.each(['.', 'a..b', 'a.-b', 'a-.b', 'a.'])('may not be %j', (name) => {
    expect(name).not.toMatch(pattern);
  });

  test.each([
    'dataPackSecret',
    'serviceAccount.name',
    'validate.publish.identityTokenSecret.name',
    'validate.publish.registrySecret',
  ])('may have 253 characters: %s', async (key) => {
    const named = (length: number) => ({
      ...{ ...FULL, dataPack: 'r.example/p' },
      ...everywhere([[key, 'n'.repeat(length)]]),
    });
    await render(named(253));
    expect(await refuse(named(254))).toContain(`/${key.replaceAll('.', '/')}'`);
  });
});

describe('the characters of a text', () => {
  test('are known for every pattern', () => {
    expect(patterns.map(([place]) => place).sort()).toEqual(Object.keys(ALPHABETS).sort());
  });

  test.each(patterns)('are those that Kubernetes or the installer takes: %s', (place, pattern) => {
    const { front, inside, end, around = ['', ''] } = ALPHABETS[place] ?? object;
    const [before, behind] = around;
    const taken = (make: (character: string) => string): string =>
      CHARACTERS.filter((character) => new RegExp(pattern, 'u').test(make(character))).join('');
    const named = (wanted: RegExp): string => CHARACTERS.filter((one) => wanted.test(one)).join('');
    const a = behind === '' ? 'a' : behind;
    expect({
      front: taken((character) => `${before}${character}${a}`),
      inside: taken((character) => `${before}${a}${character}${a}`),
      end: taken((character) => `${before}${a}${character}`),
    }).toEqual({ front: named(front), inside: named(inside), end: named(end) });
  });
});
