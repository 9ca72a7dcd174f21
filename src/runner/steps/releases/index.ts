import { RunError } from '../../../contract/index.ts';
import type { StepContext } from '../../context.ts';
import type { ReleasesStep } from '../../planned.ts';
import { type EarlierRun, earlierRuns } from '../../status/index.ts';
import type { StepOutcome } from '../outcome.ts';
import { precheck } from '../precheck.ts';
import { retry } from '../retry.ts';
import { readBundle } from './bundle.ts';
import { type Claims, claimsOf, writeClaims } from './claims.ts';
import { describeDowngrade, downgradeError, findNewer } from './downgrade.ts';
import { describeForeign, findForeign, foreignError } from './foreign.ts';
import { type FoundRelease, findInstalled, type InstalledRelease } from './installed.ts';
import { type Ledger, readLedger } from './ledger.ts';
import { reportLeftovers } from './leftovers.ts';
import { busyError, heal, isLeaving, isPending, judgePending, leavingError } from './pending.ts';
import { lastProgress } from './progress.ts';

export { claim, readClaims, settle } from './claims.ts';
export { reportLeftovers } from './leftovers.ts';

/** Programs that deploy.sh cannot do without. */
const TOOLS = ['bash', 'kubectl', 'helm'];

/**
 * Looks, before anything is touched, at the Helm releases that the bundle will install or upgrade: refuses those of
 * somebody else and a silent downgrade, and sets to failed what a killed run left half done.
 * @throws RunError `ToolMissing`, `ClusterUnreachable`, `RightsMissing`, `ForeignRelease`, `ReleasePending`,
 *   `DowngradeRefused`
 */
export async function checkReleases(step: ReleasesStep, context: StepContext): Promise<StepOutcome> {
  const { access, lockNamespace, claimsFile } = step;
  await precheck({ tools: TOOLS, access, otherwise: 'deploy.sh may fail half-way' }, context);
  await reportLeftovers(context);
  const nothing: Claims = { namespace: lockNamespace, required: access.required, change: {}, planned: [] };
  await writeClaims(claimsFile, nothing);
  try {
    const ledger = await readLedger(lockNamespace, context);
    const found = await findReleases(step, context);
    const healed = await judge(step, found, ledger, context);
    const mark = {
      by: `${step.release.namespace}/${step.release.name}`,
      run: context.run.job,
      at: context.clock.now().toISOString(),
      aicr: step.version,
    };
    await writeClaims(claimsFile, { ...nothing, ...claimsOf(found, ledger, mark, step.release) });
    return { message: describe(found, healed) };
  } catch (error) {
    if (access.required || !(error instanceof RunError) || error.code !== 'RightsMissing') throw error;
    context.status.warn(
      `${error.message}: whose the Helm releases are that deploy.sh upgrades was not checked`,
    );
    return { message: 'the Helm releases in the cluster could not be looked at' };
  }
}

/**
 * Looks, before the first step, whether this release of the chart came to deploy with a newer aicr: a run that is refused
 * for it then leaves the newer run's recipe as it is. `checkReleases` looks again, at the components too.
 * @throws RunError `DowngradeRefused`, `ClusterUnreachable`
 */
export async function foreseeDowngrade(step: ReleasesStep, context: StepContext): Promise<void> {
  if (step.allowDowngrade) return;
  try {
    const newer = findNewer(step.version, [], await readLedger(step.lockNamespace, context), step.release);
    if (newer !== null) throw downgradeError(step.version, newer);
  } catch (error) {
    // Whether it matters that the list may not be read is the step's to say.
    if (!(error instanceof RunError) || error.code !== 'RightsMissing') throw error;
  }
}

async function findReleases(step: ReleasesStep, context: StepContext): Promise<readonly FoundRelease[]> {
  const bundle = await readBundle(step.dir);
  if (bundle.length === 0) {
    context.status.warn(
      'which Helm releases the bundle has cannot be told (no bundle-info.yaml, no numbered folders), so none was checked',
    );
  }
  const found: FoundRelease[] = [];
  for (const bundled of bundle) found.push({ bundled, installed: await findInstalled(bundled, context) });
  return found;
}

/** @returns how many releases were healed */
async function judge(
  step: ReleasesStep,
  found: readonly FoundRelease[],
  ledger: Ledger,
  context: StepContext,
): Promise<number> {
  const { version, release, existing, allowDowngrade } = step;
  const newer = findNewer(version, found, ledger, release);
  if (newer !== null && !allowDowngrade) throw downgradeError(version, newer);
  const foreign = findForeign(found, ledger);
  if (foreign.length > 0 && existing === 'refuse') throw foreignError(foreign);
  const leaving = found.flatMap(({ installed }) =>
    installed !== null && isLeaving(installed) ? [installed] : [],
  );
  if (leaving.length > 0) throw leavingError(leaving);
  const abandoned = await findAbandoned(step, found, context);

  // From here on something may be changed: every reason to stop has been looked at.
  if (newer !== null) {
    context.status.warn(`${describeDowngrade(version, newer)}; deploy.allowDowngrade lets it pass`);
  }
  for (const each of foreign) {
    context.status.warn(
      `${describeForeign(each)} was made by somebody else and is taken over (deploy.existingReleases: adopt)`,
    );
  }
  let healed = 0;
  for (const { installed, why } of abandoned) healed += Number(await heal(installed, why, context));
  return healed;
}

/** @throws RunError `ReleasePending` when somebody may be working on one of them */
async function findAbandoned(
  step: ReleasesStep,
  found: readonly FoundRelease[],
  context: StepContext,
): Promise<readonly { readonly installed: InstalledRelease; readonly why: string }[]> {
  const pending = found.flatMap(({ bundled, installed }) =>
    installed !== null && isPending(installed) ? [{ bundled, installed }] : [],
  );
  if (pending.length === 0) return [];
  const runs = await readEarlier(step, context);
  const judged = pending.map(({ bundled, installed }) => ({
    installed,
    verdict: judgePending(installed, bundled.timeoutMs, lastProgress(installed, runs), context.clock.now()),
  }));
  const busy = judged.flatMap(({ installed, verdict }) =>
    verdict.kind === 'busy' ? [{ release: installed, until: verdict.until }] : [],
  );
  if (busy.length > 0) throw busyError(busy);
  return judged.flatMap(({ installed, verdict }) =>
    verdict.kind === 'abandoned' ? [{ installed, why: verdict.why }] : [],
  );
}

/** What earlier runs of this release wrote, and earlier attempts of this one. */
async function readEarlier(step: ReleasesStep, context: StepContext): Promise<readonly EarlierRun[]> {
  const { earlier, cluster, signal } = context;
  const attempt = Array.isArray(earlier?.components) ? [earlier] : [];
  if (step.statusConfigMap === '') return attempt;
  const { name, namespace } = step.release;
  const texts = await retry(context, () => cluster.readTexts(namespace, step.statusConfigMap, signal));
  return [...attempt, ...earlierRuns(texts, name)];
}

function describe(found: readonly FoundRelease[], healed: number): string {
  const there = found.filter(({ installed }) => installed !== null).length;
  const all = `Helm releases: ${there} to upgrade, ${found.length - there} new`;
  return healed === 0 ? all : `${all}; left pending by a killed run and set to failed: ${healed}`;
}
