/**
 * Writes the generated files that are committed: types and the validator made of schemas, the README's table, the pages
 * of reason codes and of faults, and the ServiceTemplate among the examples.
 * With --check it writes nothing, and fails naming each file that differs.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { renderCatalog, serviceTemplateName } from '../src/catalog/index.ts';
import { readFolder } from '../src/chart/index.ts';
import { defaultsOf, readModel, type ValuesSchema, valuesTable } from '../src/schema/index.ts';
import { faultsPage } from './e2e/faults/page.ts';
import { troubleshootingPage } from './troubleshooting.ts';

const root = (file: string): string => fileURLToPath(new URL(`../${file}`, import.meta.url));
const readJson = async (file: string): Promise<unknown> => JSON.parse(await readFile(root(file), 'utf8'));

const RUN_SPEC = 'src/contract/run-spec.schema.json';
const STATUS = 'src/contract/status.schema.json';

const types = async (schema: unknown, name: string): Promise<string> =>
  compile(schema as JSONSchema, name, { additionalProperties: false });

/** ESM without imports: the runner's bundle has no room for ajv. */
const validator = async (): Promise<string> => {
  // `unicode: false` counts a string's length without a helper from ajv; the contract only asks for "not empty".
  const ajv = new Ajv({ code: { source: true, esm: true }, allErrors: true, unicode: false, logger: false });
  const code = standaloneCode(ajv, ajv.compile((await readJson(RUN_SPEC)) as object));
  if (/\brequire\(|^import /m.test(code))
    throw new Error(`${RUN_SPEC}: its validator would import parts of ajv`);
  return `// Made of ${RUN_SPEC} by hack/generate.ts; do not edit.\n${code}\n`;
};

const VALIDATOR_TYPES = `// Made by hack/generate.ts; do not edit.
import type { RunSpec } from './run-spec.ts';

/** One way in which a document breaks the contract. */
export interface RunSpecFault {
  /** JSON pointer of the place. */
  readonly instancePath: string;
  readonly keyword: string;
  readonly message?: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Tells whether a document is a RunSpec; if not, \`errors\` lists every fault. */
declare const validate: {
  (document: unknown): document is RunSpec;
  errors?: readonly RunSpecFault[] | null;
};
export default validate;
export { validate };
`;

const MARKS = { begin: '<!-- values:begin -->', end: '<!-- values:end -->' };

const readme = async (table: string): Promise<string> => {
  const text = await readFile(root('README.md'), 'utf8');
  const begin = text.indexOf(MARKS.begin);
  const end = text.indexOf(MARKS.end);
  if (begin < 0 || end < begin)
    throw new Error(`README.md: ${MARKS.begin} and ${MARKS.end} are not there in this order`);
  return `${text.slice(0, begin + MARKS.begin.length)}\n\n${table}\n\n${text.slice(end)}`;
};

/** The ServiceTemplate as people read it without building anything. */
const serviceTemplate = async (aicrVersion: string): Promise<string> => {
  const { version } = (await readJson('package.json')) as { version: string };
  const templates = await readFolder(root('catalog-templates'));
  const name = `${serviceTemplateName(version)}.yaml`;
  const file = renderCatalog({ version, aicrVersion, templates }).find(({ path }) => path === name);
  if (file === undefined) throw new Error(`catalog-templates makes no ${name}`);
  return new TextDecoder().decode(file.data);
};

const main = async (): Promise<void> => {
  const model = readModel((await readJson('values.schema.json')) as ValuesSchema);
  const files: Record<string, string> = {
    'README.md': await readme(valuesTable(model)),
    'docs/troubleshooting.md': troubleshootingPage(),
    'docs/faults.md': faultsPage(),
    'examples/k0rdent/servicetemplate.yaml': await serviceTemplate(String(defaultsOf(model)['aicrVersion'])),
    'src/schema/generated/values.ts': await types(model.schema, 'Values'),
    'src/contract/generated/run-spec.ts': await types(await readJson(RUN_SPEC), 'RunSpec'),
    'docs/status.schema.json': await readFile(root(STATUS), 'utf8'),
    'src/contract/generated/status.ts': await types(await readJson(STATUS), 'RunStatus'),
    'src/contract/generated/validate-run-spec.js': await validator(),
    'src/contract/generated/validate-run-spec.d.ts': VALIDATOR_TYPES,
  };
  const check = process.argv.includes('--check');
  for (const [file, text] of Object.entries(files)) {
    const there = await readFile(root(file), 'utf8').catch(() => '');
    if (there === text) continue;
    if (!check) {
      await writeFile(root(file), text);
      console.log(`wrote ${file}`);
      continue;
    }
    console.error(`${file} differs from what its source makes; run npm run generate`);
    process.exitCode = 1;
  }
};

await main();
