/** What stands in place of a secret. */
const HIDDEN = '***';

/** Shorter texts are never made secret: masking `on` would make every log unreadable and hide nothing. */
const SHORTEST = 4;

/** Hides secrets in everything that is shown. */
export interface Mask {
  /** Makes a text secret, in the spellings in which it usually shows up: plain, base64, URL, JSON. */
  add(secret: string): void;
  /** The text with every known secret, and everything that looks like a credential, replaced. */
  apply(text: string): string;
}

/**
 * What looks like a credential whoever printed it. Each keeps the part that tells what was hidden.
 * The repeats are bounded: a line of 64 KiB must not take seconds.
 */
const LOOKS_SECRET: readonly (readonly [RegExp, string])[] = [
  // The fields of a docker config (https://github.com/docker/cli, cli/config/types): as JSON, and as JSON within JSON.
  [/("(?:auth|password|identitytoken|registrytoken)"\s{0,8}:\s{0,8}")(?:[^"\\]|\\.)+/gi, `$1${HIDDEN}`],
  [
    /(\\"(?:auth|password|identitytoken|registrytoken)\\"\s{0,8}:\s{0,8}\\")(?:[^"\\]|\\\\(?:\\")?)+/gi,
    `$1${HIDDEN}`,
  ],
  [/\b(authorization["']?\s{0,8}[:=]\s{0,8}["']?(?:basic|bearer)\s{1,8})[^\s"',]{1,16384}/gi, `$1${HIDDEN}`],
  [/\b(bearer\s{1,8})[A-Za-z0-9._~+/-]{16,16384}={0,2}/gi, `$1${HIDDEN}`],
  // A JSON Web Token: two JSON objects in base64url, which both begin with {" (RFC 7519), and a signature.
  [/\beyJ[\w-]{8,4096}\.eyJ[\w-]{8,8192}\.[\w-]{0,2048}/g, HIDDEN],
  // A docker config as a Secret's data has it: base64 of what begins with {"auths", however it is indented.
  [
    /\b(?:eyJhdXRocyI6|eyAiYXV0aHMi|ewoJImF1dGhz|ewogICJhdXRocyI6|ewogICAgImF1dGhz)[A-Za-z0-9+/]{8,65536}={0,2}/g,
    HIDDEN,
  ],
  // The user part of a URL.
  [/(\b[a-z][a-z0-9+.-]{1,15}:\/\/)[^\s/@:"']{0,256}:[^\s/@"']{1,1024}@/gi, `$1${HIDDEN}@`],
];

/** Every pattern needs one of these; asking for them first makes ordinary output cheap. */
const HINTS = /auth|password|token|bearer|eyJ|eyAi|ewo|:\/\//i;

/** Starts with no secrets known. */
export function createMask(): Mask {
  const secrets = new Set<string>();
  let known: RegExp | null = null;
  return {
    add(secret) {
      for (const line of [secret, ...secret.split(/\r?\n/)]) {
        const trimmed = line.trim();
        if (trimmed.length >= SHORTEST) {
          for (const spelling of spellings(trimmed)) {
            secrets.add(spelling);
          }
        }
      }
      // Longest first: a secret that contains another must not be left half shown.
      const sorted = [...secrets].sort((a, b) => b.length - a.length);
      known = sorted.length === 0 ? null : new RegExp(sorted.map(escapeRegExp).join('|'), 'g');
    },
    apply(text) {
      const shown = known === null ? text : text.replace(known, HIDDEN);
      // Stryker disable next-line ConditionalExpression: it saves time and changes nothing
      if (!HINTS.test(shown)) return shown;
      return LOOKS_SECRET.reduce((left, [pattern, kept]) => left.replace(pattern, kept), shown);
    },
  };
}

/** A secret as programs print it; Go's JSON is safe within HTML, and its URLs keep fewer characters than others. */
function spellings(secret: string): readonly string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const url = encodeURIComponent(secret);
  const base64 = base64Spellings(secret);
  const goUrl = url.replace(/[!'()*]/g, (character) => `%${hex(character)}`);
  return [
    secret,
    json,
    json.replace(/[<>&]/g, (character) => `\\u00${hex(character)}`.toLowerCase()),
    url,
    goUrl,
    goUrl.replaceAll('%20', '+'),
    ...base64,
    // A docker config has it in base64, and the Secret around the config has that in base64 again.
    ...base64.flatMap(base64Spellings),
  ];
}

const hex = (character: string): string => character.charCodeAt(0).toString(16).toUpperCase();

/**
 * The secret as it looks inside base64. In `user:secret` it may begin at any of three offsets, so for each the
 * characters that depend on nothing else are taken: whatever is around it, that part is the same.
 */
function base64Spellings(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const found: string[] = [];
  for (const offset of [0, 1, 2]) {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
    const first = Math.ceil((offset * 8) / 6);
    const last = Math.floor((padded.length * 8) / 6);
    const inner = padded.toString('base64').slice(first, last);
    // Eight characters are six bytes; less would match by chance.
    if (inner.length >= 8) {
      found.push(inner, inner.replaceAll('+', '-').replaceAll('/', '_'));
    }
  }
  return found;
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
