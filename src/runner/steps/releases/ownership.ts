import type { InstalledRelease } from './installed.ts';
import type { LedgerEntry } from './ledger.ts';

/**
 * Whether a run of ours made a release, or took it over. Its name alone does not tell: one that somebody uninstalled
 * and somebody else made anew has the same name, but another first time.
 * @param entry what the list has under its name
 */
export function isOurs(
  release: Pick<InstalledRelease, 'firstDeployed'>,
  entry: LedgerEntry | null,
): entry is LedgerEntry {
  if (entry === null) return false;
  // A run was killed in the middle of its first install, before it could see the release's time: what appeared since
  // it began is its own.
  if (entry.firstDeployed === '') return release.firstDeployed >= Date.parse(entry.deployed.at);
  return release.firstDeployed === Date.parse(entry.firstDeployed);
}
