import { componentKey, newestRunKey } from '../../src/contract/index.ts';
import type { BundledRelease } from '../../src/runner/steps/releases/bundle.ts';
import type { FoundRelease, InstalledRelease } from '../../src/runner/steps/releases/installed.ts';
import {
  type Ledger,
  type LedgerEntry,
  ledgerOf,
  ledgerText,
  type RunMark,
} from '../../src/runner/steps/releases/ledger.ts';

/** Milliseconds of an hour of the tests' day. */
export const time = (text: string): number => Date.parse(`2026-11-30T${text}Z`);

/** The run that made everything, unless a test says otherwise. */
export const mark: RunMark = {
  by: 'ns/gpu',
  run: 'gpu-install-1',
  at: '2026-11-30T10:00:00.000Z',
  aicr: 'v1.2.0',
};

/** An entry of the list of components. @param firstDeployed RFC 3339, or empty */
export const entry = (firstDeployed: string, deployed: RunMark = mark): LedgerEntry => ({
  how: 'installed',
  made: mark,
  deployed,
  firstDeployed,
});

/** An upgrade of alpha that helm is in the middle of. */
export const release = (change: Partial<InstalledRelease> = {}): InstalledRelease => ({
  name: 'alpha',
  namespace: 'alpha-ns',
  revision: 2,
  secret: 'sh.helm.release.v1.alpha.v2',
  resourceVersion: '1',
  status: 'pending-upgrade',
  firstDeployed: time('10:00:05'),
  lastDeployed: time('11:00:00'),
  ...change,
});

/** A release of the bundle, in the namespace of its name. */
export const bundled = (name: string, component = name): BundledRelease => ({
  name,
  namespace: `${name}-ns`,
  component,
  timeoutMs: 300_000,
});

/** A release of the bundle that the cluster has, since five seconds after ten. */
export const there = (name: string, component = name): FoundRelease => ({
  bundled: bundled(name, component),
  installed: release({ name, namespace: `${name}-ns`, status: 'deployed' }),
});

/** A release of the bundle that the cluster has not. */
export const missing = (name: string): FoundRelease => ({ bundled: bundled(name), installed: null });

/** When what is `there` was first installed, as the list has it. */
export const FIRST = '2026-11-30T10:00:05.000Z';

/** The chart's own release. */
export const SELF = { namespace: 'ns', name: 'gpu' };

/** The list of components. @param newest the newest run of the chart's own release */
export const ledger = (entries: Readonly<Record<string, LedgerEntry>>, newest?: RunMark): Ledger =>
  ledgerOf({
    ...Object.fromEntries(
      Object.entries(entries).map(([name, each]) => [componentKey(`${name}-ns`, name), ledgerText(each)]),
    ),
    ...(newest === undefined ? {} : { [newestRunKey(SELF.namespace, SELF.name)]: ledgerText(newest) }),
  });
