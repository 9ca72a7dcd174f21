import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { type BundledPackage, renderBom } from '../../src/chart/index.ts';
import { chartSources } from '../render/sources.ts';

const sha512 = (text: string): Buffer => createHash('sha512').update(text).digest();
const integrity = (text: string): string => `sha512-${sha512(text).toString('base64')}`;

const LIBRARIES: readonly BundledPackage[] = [
  { name: 'b', version: '2.0.0', license: '(MIT OR Apache-2.0)', integrity: integrity('b') },
  { name: '@s/a', version: '1.0.0', license: 'ISC', integrity: integrity('a') },
];
const DIGEST = 'ab'.repeat(32);

/** A chart of one tagged image and one without a tag. */
const sources = async () => {
  const { schema, ...rest } = await chartSources({ version: '9.8.7' });
  const image = (reference: string) => ({ ...schema.properties['nodeImage'], default: reference });
  const properties = {
    nodeImage: image(`node:24@sha256:${DIGEST}`),
    otherImage: image(`r.example:5000/acme/other@sha256:${DIGEST}`),
  };
  return { ...rest, schema: { ...schema, properties } };
};

test('the bill of materials says what the program is, what is in it, and which images the chart starts', async () => {
  const chart = await sources();
  const document = JSON.parse(renderBom(chart, LIBRARIES)) as object;
  const apache = [{ license: { id: 'Apache-2.0' } }];
  const node = `pkg:oci/node@sha256%3A${DIGEST}?repository_url=docker.io/library/node&tag=24`;
  const other = `pkg:oci/other@sha256%3A${DIGEST}?repository_url=r.example:5000/acme/other`;
  const container = (key: string, name: string, purl: string) => ({
    type: 'container',
    'bom-ref': purl,
    name,
    version: `sha256:${DIGEST}`,
    description: `default of ${key}`,
    hashes: [{ alg: 'SHA-256', content: DIGEST }],
    purl,
  });
  expect(document).toEqual({
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: expect.stringMatching(
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    ),
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': 'nvidia-aicr@9.8.7',
        name: 'nvidia-aicr',
        version: '9.8.7',
        licenses: apache,
      },
    },
    components: [
      {
        type: 'application',
        'bom-ref': 'nvidia-aicr@9.8.7#program',
        name: 'program/runner.mjs.br',
        version: '9.8.7',
        hashes: [
          { alg: 'SHA-256', content: createHash('sha256').update(chart.runner.program).digest('hex') },
        ],
        licenses: apache,
      },
      {
        type: 'library',
        'bom-ref': 'pkg:npm/%40s/a@1.0.0',
        group: '@s',
        name: 'a',
        version: '1.0.0',
        hashes: [{ alg: 'SHA-512', content: sha512('a').toString('hex') }],
        licenses: [{ license: { id: 'ISC' } }],
        purl: 'pkg:npm/%40s/a@1.0.0',
      },
      {
        type: 'library',
        'bom-ref': 'pkg:npm/b@2.0.0',
        name: 'b',
        version: '2.0.0',
        hashes: [{ alg: 'SHA-512', content: sha512('b').toString('hex') }],
        licenses: [{ expression: '(MIT OR Apache-2.0)' }],
        purl: 'pkg:npm/b@2.0.0',
      },
      container('nodeImage', 'docker.io/library/node', node),
      container('otherImage', 'r.example:5000/acme/other', other),
    ],
    dependencies: [
      { ref: 'nvidia-aicr@9.8.7', dependsOn: ['nvidia-aicr@9.8.7#program', node, other] },
      { ref: 'nvidia-aicr@9.8.7#program', dependsOn: ['pkg:npm/%40s/a@1.0.0', 'pkg:npm/b@2.0.0'] },
    ],
  });
});

test('the bill of materials is the same for the same chart, and has another serial number for another one', async () => {
  const chart = await sources();
  const text = renderBom(chart, LIBRARIES);
  expect(renderBom(chart, [...LIBRARIES].reverse())).toBe(text);
  expect(text).toMatch(/^\{\n {2}"\$schema".*\n\}\n$/s);
  const serial = (document: string): unknown =>
    (JSON.parse(document) as { serialNumber: unknown }).serialNumber;
  expect(serial(renderBom(chart, LIBRARIES.slice(1)))).not.toBe(serial(text));
});

test.each(['sha1-abc=', '', `x${integrity('b')}`, `${integrity('b')}x`])(
  'the bill of materials is not made of a package with the integrity "%s"',
  async (wrong) => {
    const chart = await sources();
    const [first] = LIBRARIES;
    const weak = [{ ...(first as BundledPackage), integrity: wrong }];
    expect(() => renderBom(chart, weak)).toThrow(`b: "${wrong}" is no SHA-512 of package-lock.json`);
  },
);
