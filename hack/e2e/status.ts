import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { type RunStatus, runStatusKey, STATUS_KEYS } from '../../src/contract/index.ts';
import type { Namespace } from './namespace.ts';

const schema = JSON.parse(
  readFileSync(new URL('../../src/contract/status.schema.json', import.meta.url), 'utf8'),
) as object;
const isStatus = new Ajv({ allErrors: true, strict: false }).compile<RunStatus>(schema);

/**
 * Reads a status document out of its ConfigMap and holds it against the contract.
 * @param job whose own document; the shared one when left out
 * @returns undefined when there is none (yet)
 * @throws Error when it breaks the contract
 */
export async function readStatus(
  namespace: Namespace,
  configMap: string,
  job?: string,
): Promise<RunStatus | undefined> {
  const key = job === undefined ? STATUS_KEYS.status : runStatusKey(job);
  const text = (await namespace.configMap(configMap))?.data?.[key];
  if (text === undefined) return undefined;
  const document: unknown = JSON.parse(text);
  if (isStatus(document)) return document;
  throw new Error(`${key} breaks the contract: ${JSON.stringify(isStatus.errors, null, 2)}\n${text}`);
}

/** The steps of a run with a data pack that installs, in their order. */
export const INSTALL_STEPS = [
  'download',
  'pack',
  'recipe',
  'bundle',
  'verify',
  'releases',
  'upgradeCheck',
  'deploy',
] as const;

/** A status's steps in few words: `download Succeeded`. */
export const stepStates = (status: RunStatus): readonly string[] =>
  status.steps.map(({ name, state }) => `${name} ${state}`);
