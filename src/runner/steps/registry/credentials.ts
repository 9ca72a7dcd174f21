import { RunError } from '../../../contract/index.ts';
import type { MountedSecret } from '../../planned.ts';
import { findProgram } from '../program.ts';
import { hubHint, type Registry } from './reference.ts';

/** A docker config as oras reads it. */
export interface DockerConfig {
  readonly auths: Readonly<Record<string, DockerAuth>>;
  readonly credHelpers?: Readonly<Record<string, string>>;
}

interface DockerAuth {
  readonly auth?: string;
  readonly identitytoken?: string;
  readonly registrytoken?: string;
}

/** Docker config of somebody without a login: nothing in it, and nothing else is looked at. */
export const noLogin: DockerConfig = { auths: {} };

/** Names under which the Docker Hub goes; oras asks for the last one. */
const DOCKER_HUB = ['docker.io', 'index.docker.io', 'registry-1.docker.io', 'https://index.docker.io/v1/'];

/**
 * Makes the docker config for one registry out of a Secret's, whatever its spelling: host keys with a scheme or a
 * `/v1/`, keys for a repository's path, `auth` or user name and password, tokens, blanks and line ends around them.
 * @param text content of `.dockerconfigjson`
 * @param secret where the text is from, for messages
 * @returns the config, and every text in it that must not be shown
 * @throws RunError `SecretInvalid`; the Secret's contents are never part of the message, but for its host names
 */
export async function loginFor(
  text: string,
  registry: Registry,
  { name: secret, value }: MountedSecret,
): Promise<{ readonly config: DockerConfig; readonly secrets: readonly string[] }> {
  const config = parse(text, secret);
  const auths = asObject(config['auths']) ?? {};
  const key = bestKey(Object.keys(auths), registry);
  const entry = key === undefined ? undefined : asObject(auths[key]);
  const login = entry === undefined ? undefined : readEntry(entry, `${secret}: the entry ${key}`);
  if (login !== undefined) return { config: configFor(registry, login), secrets: secretsIn(login, entry) };

  const helper = helperFor(config, registry);
  if (helper !== undefined) {
    if ((await findProgram(`docker-credential-${helper}`)) !== null) {
      const credHelpers = Object.fromEntries(hostNames(registry).map((name) => [name, helper]));
      return { config: { auths: {}, credHelpers }, secrets: [] };
    }
    throw invalid(
      `Secret ${secret} leaves ${registry.host} to the credential helper docker-credential-${helper}, which is not in the installer's image`,
      'Put user name and password (or a token) into the Secret instead of a helper.',
    );
  }
  if (key !== undefined) {
    throw invalid(
      `Secret ${secret} has an entry for ${registry.host} with an empty user name or password`,
      'Create the Secret again with both: `kubectl create secret docker-registry`.',
    );
  }
  if (config['auths'] === undefined) {
    throw invalid(
      `Secret ${secret} has no "auths", and so no credentials for ${registry.host}`,
      `Create the Secret with \`kubectl create secret docker-registry\`, or clear ${value} where no login is needed.`,
    );
  }
  const hosts = Object.keys(auths).map(shownHost).join(', ') || 'none';
  throw invalid(
    `Secret ${secret} has no entry for ${registry.host} (its entries: ${hosts})`,
    `Add ${registry.host} to the Secret, or clear ${value} where no login is needed.${hubHint(registry)}`,
  );
}

type Json = Readonly<Record<string, unknown>>;

function parse(text: string, secret: string): Json {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    // JSON.parse quotes the text in its message, and the text is secret: no cause.
  }
  const config = asObject(value);
  if (config !== undefined) return config;
  throw invalid(
    `Secret ${secret} is not a docker config: its .dockerconfigjson is not a JSON object`,
    'Create it with `kubectl create secret docker-registry`; a config that is base64-encoded twice looks like this, too.',
  );
}

/** The key that fits best: the longest path, and of two spellings of the host the plain one. */
function bestKey(keys: readonly string[], registry: Registry): string | undefined {
  const fitting = keys.filter((key) => fits(key, registry));
  return fitting.sort((a, b) => path(b).length - path(a).length || a.length - b.length)[0];
}

function fits(key: string, registry: Registry): boolean {
  if (!hostNames(registry).includes(host(key))) return false;
  const prefix = path(key);
  return prefix === '' || registry.repository === prefix || registry.repository.startsWith(`${prefix}/`);
}

const withoutScheme = (key: string): string => key.trim().replace(/^https?:\/\//i, '');

const host = (key: string): string => withoutScheme(key).replace(/\/.*/s, '').toLowerCase();

/** Host of a key as it may be shown: whoever puts a login into the key does not want to read it in a log. */
const shownHost = (key: string): string => host(key).replace(/.*@/s, '');

/** Repository path of a key; the API versions that docker puts there are none. */
const path = (key: string): string =>
  withoutScheme(key)
    .split('/')
    .slice(1)
    .join('/')
    .replace(/^v[12](\/|$)/, '')
    .replace(/\/+$/, '');

const hostNames = (registry: Registry): readonly string[] =>
  DOCKER_HUB.includes(registry.host) ? DOCKER_HUB : [registry.host];

interface Login {
  readonly username: string;
  readonly password: string;
  readonly identitytoken: string;
  readonly registrytoken: string;
}

/** Reads an entry; undefined when it holds no complete credential. */
function readEntry(entry: Json, where: string): Login | undefined {
  const [user, pass] = decodeAuth(textOf(entry, 'auth'), where);
  const login = {
    username: textOf(entry, 'username') || user,
    password: textOf(entry, 'password') || pass,
    identitytoken: textOf(entry, 'identitytoken'),
    registrytoken: textOf(entry, 'registrytoken'),
  };
  const complete = login.username !== '' && login.password !== '';
  return complete || login.identitytoken !== '' || login.registrytoken !== '' ? login : undefined;
}

function decodeAuth(auth: string, where: string): readonly [string, string] {
  if (auth === '') return ['', ''];
  const decoded = Buffer.from(auth, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon < 0) {
    throw invalid(
      `Secret ${where} has an "auth" that is not base64 of user:password`,
      'Create the Secret again with `kubectl create secret docker-registry`.',
    );
  }
  return [decoded.slice(0, colon).trim(), decoded.slice(colon + 1).trim()];
}

function configFor(registry: Registry, login: Login): DockerConfig {
  const auth: DockerAuth = {
    ...(login.password === '' ? {} : { auth: encodeAuth(login) }),
    ...(login.identitytoken === '' ? {} : { identitytoken: login.identitytoken }),
    ...(login.registrytoken === '' ? {} : { registrytoken: login.registrytoken }),
  };
  return { auths: Object.fromEntries(hostNames(registry).map((name) => [name, auth])) };
}

const encodeAuth = (login: Login): string =>
  Buffer.from(`${login.username}:${login.password}`).toString('base64');

/** User names are no secret, and short ones would blot out half the log. */
const secretsIn = (login: Login, entry: Json | undefined): readonly string[] =>
  [
    login.password,
    login.identitytoken,
    login.registrytoken,
    encodeAuth(login),
    textOf(entry ?? {}, 'auth'),
  ].filter((text) => text !== '');

function helperFor(config: Json, registry: Registry): string | undefined {
  const helpers = asObject(config['credHelpers']) ?? {};
  const key = Object.keys(helpers).find((name) => hostNames(registry).includes(host(name)));
  const helper = key === undefined ? config['credsStore'] : helpers[key];
  return typeof helper === 'string' && helper !== '' ? helper : undefined;
}

/** A text of an entry, without the blanks and line ends that `echo` leaves behind. */
function textOf(entry: Json, key: string): string {
  const value = entry[key];
  return typeof value === 'string' ? value.trim() : '';
}

const asObject = (value: unknown): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;

const invalid = (message: string, hint: string): RunError => new RunError('SecretInvalid', message, { hint });
