/** What `helm --wait` waits when it is not told, in milliseconds. */
const HELM_DEFAULT_MS = 300_000;

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000 };
const DURATION = String.raw`(?:\d+(?:\.\d+)?[hms])+`;
const GIVEN = new RegExp(String.raw`(?<=--timeout[= ]["']?)${DURATION}\b`, 'g');
/** A timeout that a script keeps in a variable: `limit=20m`. */
const KEPT = new RegExp(String.raw`(?<=\b[A-Za-z_]+=["']?)${DURATION}\b`, 'g');

/**
 * How long helm may work on a component before it gives up by itself. What the component's own install.sh says
 * counts. deploy.sh has several timeouts for several components, in shell that is not worth understanding: its
 * longest one is on the safe side, as a release is only taken for abandoned after it.
 * @param installScript text of the component's install.sh
 * @param deployScript text of deploy.sh
 * @returns milliseconds
 */
export function helmTimeout(installScript: string, deployScript: string): number {
  const own = durations(installScript, GIVEN);
  if (own.length > 0) return Math.max(...own);
  const shared = [...durations(deployScript, GIVEN), ...durations(deployScript, KEPT)];
  return shared.length === 0 ? HELM_DEFAULT_MS : Math.max(...shared);
}

const durations = (script: string, pattern: RegExp): readonly number[] =>
  (script.match(pattern) ?? []).map((duration) =>
    duration
      .split(/(?<=[hms])/)
      .reduce((sum, part) => sum + Number.parseFloat(part) * (UNIT_MS[part.slice(-1)] ?? 0), 0),
  );
