import { RunError } from '../../../contract/index.ts';
import type { FoundRelease, InstalledRelease } from './installed.ts';
import type { Ledger } from './ledger.ts';
import { isOurs } from './ownership.ts';

/** A release of the bundle under whose name somebody else's is installed. */
export interface ForeignRelease {
  readonly component: string;
  readonly installed: InstalledRelease;
}

/** The releases that are there and that no run of ours made. */
export const findForeign = (found: readonly FoundRelease[], ledger: Ledger): readonly ForeignRelease[] =>
  found.flatMap(({ bundled, installed }) =>
    installed === null || isOurs(installed, ledger.entry(bundled))
      ? []
      : [{ component: bundled.component, installed }],
  );

/** `gpu-operator in namespace gpu-operator (deployed, since 2026-…)` */
export const describeForeign = ({
  installed: { name, namespace, status, firstDeployed },
}: ForeignRelease): string =>
  `${name} in namespace ${namespace} (${status}, since ${new Date(firstDeployed).toISOString()})`;

/** The refusal to take over what somebody else made. */
export function foreignError(foreign: readonly ForeignRelease[]): RunError {
  const components = [...new Set(foreign.map(({ component }) => component))];
  const args = components.flatMap((component) => ['--set', `${component}:enabled=false`]);
  return new RunError(
    'ForeignRelease',
    `${foreign.length === 1 ? 'a Helm release' : 'Helm releases'} that no run of this chart made would be taken over: ${foreign.map(describeForeign).join('; ')}`,
    {
      hint: `Leave ${components.length === 1 ? 'it' : 'them'} alone by adding to bundleArgs: ${JSON.stringify(args)}. Or let the installer take over, once: deploy.existingReleases: adopt.`,
    },
  );
}
