import { type ReasonCode, RunError } from '../../../contract/index.ts';
import type { PackStep } from '../../planned.ts';
import { reachHint, registryOf } from '../registry/index.ts';

interface Kind {
  readonly pattern: RegExp;
  readonly code: ReasonCode;
  readonly transient?: boolean;
  readonly hint: (step: PackStep) => string;
}

/** Kinds of failure by what oras and the registry say; the first that fits is it. */
const KINDS: readonly Kind[] = [
  {
    pattern: /server gave HTTP response to HTTPS client/i,
    code: 'PackPullFailed',
    hint: () => 'The registry speaks plain HTTP: set dataPackPlainHTTP (lab registries only).',
  },
  {
    pattern: /x509:|failed to verify certificate/i,
    code: 'PackPullFailed',
    hint: () =>
      "The registry's certificate is not trusted: give it one from a known authority, or set dataPackInsecureTLS (lab registries only).",
  },
  {
    pattern: /malformed HTTP response|HTTP request to an HTTPS server|status code 400/i,
    code: 'PackPullFailed',
    hint: (step) =>
      step.plainHTTP
        ? 'The registry seems to speak HTTPS: clear dataPackPlainHTTP.'
        : "The registry does not understand the request: see its words and oras' output in the log.",
  },
  {
    pattern: /invalid reference|no tag or digest specified/i,
    code: 'RunSpecInvalid',
    hint: () =>
      'dataPack must be host[:port]/repository:tag or …@sha256:…, without a scheme, the repository in lower case.',
  },
  {
    pattern:
      /unauthorized|authentication required|\bdenied\b|forbidden|status code 40[13]|basic credential not found/i,
    code: 'PackUnauthorized',
    hint: (step) => loginHint(step),
  },
  {
    pattern:
      /connection refused|connection reset|broken pipe|i\/o timeout|timed? ?out|deadline exceeded|no such host|server misbehaving|network is unreachable|no route to host|\bEOF\b|too ?many ?requests|status code (408|429|5\d\d)|service unavailable|bad gateway/i,
    code: 'PackPullFailed',
    transient: true,
    hint: ({ ref }) => reachHint(registryOf(ref)),
  },
  {
    pattern: /manifest unknown|name unknown|not found|status code 404/i,
    code: 'PackNotFound',
    hint: () => 'Check repository and tag of dataPack, and that the pack was pushed there.',
  },
];

const OTHER: Kind = {
  pattern: /$/,
  code: 'PackPullFailed',
  hint: () => "See oras' output in the log.",
};

/**
 * Says why `oras pull` failed.
 * @param ending exit code or signal
 * @param tail oras' last lines
 */
export function classifyPull(
  step: PackStep,
  ending: number | string | null,
  tail: readonly string[],
): RunError {
  const said = complaint(tail);
  const { code, transient, hint } = KINDS.find(({ pattern }) => pattern.test(said)) ?? OTHER;
  const { host } = registryOf(step.ref);
  const prefix: Partial<Record<ReasonCode, string>> = {
    PackUnauthorized: `unauthorized: ${host} refused ${step.secret === null ? 'an anonymous pull' : `the credentials of Secret ${step.secret.name}`} for ${step.ref}`,
    PackNotFound: `the registry has no ${step.ref}`,
  };
  const message = prefix[code] ?? `the data pack ${step.ref} could not be pulled`;
  const words = said === '' ? `oras ended with ${ending}` : said;
  return new RunError(code, `${message}: ${words}`, {
    hint: hint(step),
    transient: transient ?? false,
    tail,
  });
}

/** oras' own complaint, without its usage hints. */
function complaint(tail: readonly string[]): string {
  const start = tail.findIndex((line) => /^Error/i.test(line));
  const lines = start < 0 ? tail.slice(-1) : tail.slice(start);
  return lines
    .map((line) => line.trim())
    .join(' ')
    .replace(/^Error:\s*/i, '')
    .trim();
}

const loginHint = (step: PackStep): string =>
  step.secret === null
    ? 'A private pack needs dataPackSecret (a Secret of type kubernetes.io/dockerconfigjson). Some registries answer so for a pack that does not exist.'
    : `Check user name, password and their rights in Secret ${step.secret.name} (namespace ${step.secret.namespace}). Some registries answer so for a pack that does not exist.`;
