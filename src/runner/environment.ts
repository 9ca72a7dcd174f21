import { POD_ENV, type RunSpec } from '../contract/index.ts';

/** Values this short are never made secret where it is not known that they are: masking them would hide the log. */
const SHORTEST_UNKNOWN = 8;

/** What chart, kubelet and shells put into every environment; a Secret's variables are among the others. */
const ORDINARY = new Set<string>([
  ...Object.values(POD_ENV),
  'HOME',
  'HOSTNAME',
  'LANG',
  'NODE_EXTRA_CA_CERTS',
  'PATH',
  'PWD',
  'SHLVL',
  'TERM',
  'TMPDIR',
]);

/** Names with these beginnings are the chart's (a guard refuses them in job.extraEnv) or the kubelet's. */
const ORDINARY_PREFIX = /^(HELM|XDG|KUBERNETES)_/;

/**
 * Values of the installer's environment that came from Secrets, which children may print.
 * With a whole Secret in job.extraEnvFrom its variables' names are unknown here: every variable counts that nobody
 * else is known to have set.
 * @param env the installer's environment
 */
export function secretValues(
  env: Readonly<Record<string, string | undefined>>,
  { secret, plain, fromSecrets }: RunSpec['environment'],
): readonly string[] {
  const named = new Set(secret);
  const known = new Set(plain);
  return Object.entries(env).flatMap(([name, value]) => {
    if (value === undefined) {
      return [];
    }
    const unknown = fromSecrets && !known.has(name) && !ORDINARY.has(name) && !ORDINARY_PREFIX.test(name);
    return named.has(name) || (unknown && value.length >= SHORTEST_UNKNOWN) ? [value] : [];
  });
}
