import type { StepContext } from '../../context.ts';
import type { MountedSecret } from '../../planned.ts';
import { describeSecret, lookAtSecret } from '../secret/index.ts';

/** What an identity token says about itself. */
export type TokenState =
  | { readonly state: 'empty' }
  /** It cannot be an environment variable or a header: blanks or control characters inside. */
  | { readonly state: 'malformed' }
  | { readonly state: 'expired'; readonly at: Date }
  /** Good as far as can be seen; `at` is null when it does not say when it ends. */
  | { readonly state: 'usable'; readonly at: Date | null };

/**
 * Judges a token by its `exp` (RFC 7519, section 4.1.4). Nothing is verified: that is Fulcio's part.
 * @param token without blanks at its ends
 */
export function judgeToken(token: string, now: Date): TokenState {
  if (token === '') return { state: 'empty' };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those are looked for
  if (/[\s\u0000-\u001f\u007f]/.test(token)) return { state: 'malformed' };
  const at = expiry(token);
  return at !== null && at.getTime() <= now.getTime() ? { state: 'expired', at } : { state: 'usable', at };
}

/** What the look at the token at the run's start came to. */
export interface TokenFinding {
  /** What to warn of; empty: all is well, or nothing can be said yet. */
  readonly warning: string;
  /** The token can never work: with publish.failOnError there is no point in beginning. */
  readonly fatal: boolean;
}

/**
 * Looks at the identity token when the run starts. One that has not landed is no finding: it is waited for later.
 */
export async function inspectToken(
  secret: MountedSecret,
  { clock, mask, deadline }: Pick<StepContext, 'clock' | 'mask' | 'deadline'>,
): Promise<TokenFinding> {
  const fine: TokenFinding = { warning: '', fatal: false };
  const look = await lookAtSecret(secret);
  if (look.state === 'missing') return fine;
  if (look.state === 'unusable')
    return { warning: `${look.why}; the evidence cannot be signed`, fatal: false };
  const token = look.text.trim();
  mask(token);
  const judged = judgeToken(token, clock.now());
  const of = `the identity token in ${describeSecret(secret)}`;
  switch (judged.state) {
    case 'empty':
      return { warning: `${of} is empty; the evidence cannot be signed`, fatal: false };
    case 'malformed':
      return {
        warning: `${of} has blanks or control characters inside; the evidence cannot be signed`,
        fatal: false,
      };
    case 'expired':
      return {
        warning: `${of} expired at ${judged.at.toISOString()}; the evidence cannot be signed`,
        fatal: true,
      };
    case 'usable':
      return judged.at !== null && deadline !== null && judged.at < deadline
        ? {
            warning: `${of} expires at ${judged.at.toISOString()}, before the run's deadline at ${deadline.toISOString()}: publishing may come too late for it`,
            fatal: false,
          }
        : fine;
  }
}

/** Null for what is no JWT, or has no usable `exp`. */
function expiry(token: string): Date | null {
  const payload = token.split('.')[1];
  if (payload === undefined) return null;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    const exp = typeof claims === 'object' && claims !== null && 'exp' in claims ? claims.exp : undefined;
    if (typeof exp !== 'number' || !Number.isFinite(exp)) return null;
    const at = new Date(exp * 1000);
    return Number.isNaN(at.getTime()) ? null : at;
  } catch {
    return null;
  }
}
