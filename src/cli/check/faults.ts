import { Ajv, type ErrorObject } from 'ajv';
import { chartSchema, type SchemaNode, type ValuesModel } from '../../schema/index.ts';
import type { ValuesDocument } from './document.ts';
import { type Finding, pathOf, type Steps } from './finding.ts';
import { suggest } from './suggest.ts';

/** Every way in which a values file breaks the chart's schema. */
export const schemaFindings = (document: ValuesDocument, model: ValuesModel): readonly Finding[] => {
  const schema = chartSchema(model);
  const validate = new Ajv({ allErrors: true, strict: false, verbose: true }).compile(schema);
  if (validate(document.data)) return [];
  const known = pathsBelow(model.schema, '');
  return (
    (validate.errors ?? [])
      // The errors about a key's spelling repeat what its `propertyNames` error says.
      .filter((error) => error.propertyName === undefined)
      .map((error): Finding => {
        const steps = stepsTo(error);
        const place = document.place(steps) ?? { line: 0, column: 0 };
        return { file: document.file, ...place, path: pathOf(steps), message: messageOf(error, known) };
      })
  );
};

/** Steps to what is wrong: for a key that should not be there, to that key. */
const stepsTo = (error: ErrorObject): Steps => {
  const above = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const key = keyOf(error);
  return key === undefined ? above : [...above, key];
};

const keyOf = (error: ErrorObject): string | undefined =>
  error.keyword === 'additionalProperties'
    ? String(error.params['additionalProperty'])
    : error.keyword === 'propertyNames'
      ? String(error.params['propertyName'])
      : undefined;

const messageOf = (error: ErrorObject, known: readonly string[]): string => {
  switch (error.keyword) {
    case 'additionalProperties': {
      const meant = suggest(pathOf(stepsTo(error)), [...known, ...siblingsInList(error)]);
      return `no such value${meant === undefined ? '' : `; did you mean ${meant}?`}`;
    }
    case 'propertyNames':
      return 'no such key can stand here';
    case 'type':
      return `is ${kindOf(error.data)}; must be ${allowedKinds(error.params['type'] as string | string[])}${
        typeof error.data === 'number' || typeof error.data === 'boolean' ? ' (quote it?)' : ''
      }`;
    case 'enum': {
      const allowed = (error.params['allowedValues'] as unknown[]).filter((value) => value !== null);
      return `is ${JSON.stringify(error.data)}; must be one of ${allowed.join(', ')}`;
    }
    case 'required':
      return `${String(error.params['missingProperty'])} is missing`;
    case 'pattern':
      return `${JSON.stringify(error.data)} does not have the form of this value. ${descriptionOf(error)}`.trimEnd();
    default:
      return `is ${JSON.stringify(error.data)}; ${error.message ?? 'is not allowed'}`;
  }
};

const descriptionOf = (error: ErrorObject): string => String(error.parentSchema?.['description'] ?? '');

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
};

const allowedKinds = (types: string | readonly string[]): string =>
  [types]
    .flat()
    .filter((type) => type !== 'null')
    .map((type) => KINDS[type] ?? type)
    .join(' or ');

const kindOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return value === '' ? 'an empty text' : 'a text';
  return typeof value === 'object' ? 'a map' : String(value);
};

/** What else can stand in an element of a list; the list of all values ends at the list itself. */
const siblingsInList = (error: ErrorObject): readonly string[] => {
  const above = stepsTo(error).slice(0, -1);
  if (!above.some((step) => typeof step === 'number')) return [];
  const names = Object.keys((error.parentSchema?.['properties'] as object | undefined) ?? {});
  return names.map((name) => pathOf([...above, name]));
};

/** Paths of all visible keys and groups. */
const pathsBelow = (schema: SchemaNode, prefix: string): readonly string[] =>
  Object.entries(schema.properties ?? {})
    .filter(([, child]) => child['x-hidden'] !== true)
    .flatMap(([name, child]) => [`${prefix}${name}`, ...pathsBelow(child, `${prefix}${name}.`)]);
