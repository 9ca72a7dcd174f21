import type { PublishStep } from '../../planned.ts';
import { reachHint, registryOf } from '../registry/index.ts';

/** Why publishing failed. */
export interface Refusal {
  readonly message: string;
  readonly hint: string;
  /** True where another try can help. */
  readonly transient: boolean;
}

interface Kind {
  readonly pattern: RegExp;
  /** What it means, before aicr's own words. */
  readonly means: (step: PublishStep) => string;
  readonly hint: (step: PublishStep) => string;
  readonly transient?: boolean;
}

const host = (step: PublishStep): string => registryOf(step.ref).host;
const credentials = (step: PublishStep): string =>
  step.registrySecret === null
    ? 'an anonymous push'
    : `the credentials of Secret ${step.registrySecret.name}`;
const loginHint = (step: PublishStep): string =>
  step.registrySecret === null
    ? 'Set validate.publish.registrySecret to a Secret of type kubernetes.io/dockerconfigjson that may push there.'
    : `Check user name, password and the right to push in Secret ${step.registrySecret.name} (namespace ${step.registrySecret.namespace}).`;

/** Troubles that may be gone at the next try. */
const PASSING =
  /connection refused|connection reset|broken pipe|i\/o timeout|timed? ?out|deadline exceeded|no such host|server misbehaving|network is unreachable|no route to host|\bEOF\b|too ?many ?requests|status code (408|429|5\d\d)/i;

/**
 * Kinds of failure by what aicr and the registry say; the first that fits is it. Registries word a refused tag
 * differently: 409 or 400 TAG_INVALID (ECR), 412 "immutable" (Harbor), 400 "immutable tags" (Artifact Registry).
 */
const PUSH_KINDS: readonly Kind[] = [
  {
    pattern: /server gave HTTP response to HTTPS client/i,
    means: (step) => `${host(step)} speaks plain HTTP`,
    hint: () => 'Set validate.publish.plainHTTP (lab registries only).',
  },
  {
    pattern: /x509:|failed to verify certificate/i,
    means: (step) => `the certificate of ${host(step)} is not trusted`,
    hint: () =>
      'Give the registry a certificate of a known authority, or set validate.publish.insecureTLS (lab registries only).',
  },
  {
    pattern: /malformed HTTP response|HTTP request to an HTTPS server/i,
    means: (step) => `${host(step)} speaks HTTPS`,
    hint: () => 'Clear validate.publish.plainHTTP.',
  },
  {
    pattern: /immutab|already exists|cannot be overwritten|tag.?invalid|status code (409|412)/i,
    means: (step) => `${host(step)} refuses to overwrite the tag, which names other content`,
    hint: () =>
      'Leave the tag out of validate.publish.ref (aicr then makes one of the content), or give another; what is there was published by another run.',
  },
  {
    pattern:
      /status code 401|unauthorized: authentication|authentication required|basic credential not found/i,
    means: (step) => `unauthorized: ${host(step)} refused ${credentials(step)}`,
    hint: loginHint,
  },
  {
    pattern: /status code 403|\bdenied\b|forbidden/i,
    means: (step) => `forbidden: ${host(step)} does not let ${credentials(step)} write to ${step.ref}`,
    hint: loginHint,
  },
  {
    pattern: /invalid (OCI |push )?reference|invalid reference format/i,
    means: (step) => `${step.ref} is not an OCI reference`,
    hint: () =>
      'validate.publish.ref must be host[:port]/repository[:tag], without a scheme, the repository in lower case.',
  },
  {
    pattern: /status code 404|name.?unknown|repository .*not (found|exist)/i,
    means: (step) => `${host(step)} has no such repository`,
    hint: () => 'Create the repository first: some registries do not make one on a push.',
  },
  {
    pattern: /status code 413/i,
    means: (step) => `the evidence is too large for ${host(step)}`,
    hint: () => "Raise the registry's limit for uploads, or that of the proxy in front of it.",
  },
  {
    pattern: PASSING,
    means: (step) => `${host(step)} cannot be reached, or cannot answer now`,
    hint: ({ ref }) => reachHint(registryOf(ref)),
    transient: true,
  },
  {
    pattern: /status code 400/i,
    means: (step) => `${host(step)} does not understand the request`,
    hint: (step) =>
      step.plainHTTP
        ? 'The registry seems to speak HTTPS: clear validate.publish.plainHTTP.'
        : "See the registry's words and aicr's output in the log.",
  },
];

/**
 * Says why `aicr evidence publish` failed.
 * @param said aicr's own words; empty when it said none
 * @param how exit code or signal, in words
 * @param pushed reference and digest of the artifact, when aicr had pushed it before it failed; null otherwise
 */
export function classifyPublish(
  step: PublishStep,
  said: string,
  how: string,
  pushed: string | null,
): Refusal {
  const words = said === '' ? how : `${said} (${how})`;
  if (pushed !== null && step.identityToken !== null) {
    return {
      message: `the evidence was pushed as ${pushed}, but it could not be signed or its signature not attached: ${words}`,
      hint: 'Signing needs a fresh identity token of an issuer that Fulcio trusts, and a way out to Sigstore. Or set validate.publish.mode to unsigned and sign later from a trusted host: aicr evidence sign.',
      transient: PASSING.test(said),
    };
  }
  const kind = PUSH_KINDS.find(({ pattern }) => pattern.test(said));
  if (kind === undefined) {
    return {
      message: `aicr evidence publish failed: ${words}`,
      hint: "See aicr's output in the log.",
      transient: false,
    };
  }
  return {
    message: `${kind.means(step)}: ${words}`,
    hint: kind.hint(step),
    transient: kind.transient ?? false,
  };
}

/**
 * Finds in aicr's output what it pushed, `registry/repository:tag@sha256:…`; null when it pushed nothing.
 * @param line one line of it
 */
export function pushedArtifact(line: string): string | null {
  const found = /artifact pushed successfully: reference=(\S+) digest=(sha256:[0-9a-f]{64})/.exec(line);
  return found === null ? null : `${found[1]}@${found[2]}`;
}
