import { expect } from 'vitest';
import { RunError } from '../../src/contract/index.ts';
import { loginFor, registryOf } from '../../src/runner/steps/registry/index.ts';

/** The artifact that a login is for, where a test does not say. */
const REF = 'r.example:5000/acme/pack:1';
export const base64 = (text: string): string => Buffer.from(text).toString('base64');
/** A complete entry. */
export const LOGIN = { auth: base64('robot:s3cret-token') };

/** What a Secret's docker config comes to. @param config the text, or what it is the JSON of */
export const login = (config: unknown, ref = REF) =>
  loginFor(typeof config === 'string' ? config : JSON.stringify(config), registryOf(ref), {
    name: 'pull-secret',
    namespace: 'nvidia-aicr',
    key: '.dockerconfigjson',
    dir: '/secrets/pack',
    value: 'dataPackSecret',
  });

/** Why it is refused. */
export async function refusal(config: unknown, ref = REF): Promise<RunError> {
  const error = await login(config, ref).then(
    () => new Error('it was taken'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof RunError)) throw error;
  expect(error.code).toBe('SecretInvalid');
  expect(error.message).toContain('pull-secret');
  expect(error.hint).not.toBe('');
  return error;
}
