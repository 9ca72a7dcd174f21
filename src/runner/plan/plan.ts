import type { RunSpec } from '../../contract/index.ts';
import type { PlannedStep } from '../planned.ts';
import { filesIn } from './files.ts';
import type { Host } from './host.ts';
import {
  planBundle,
  planDeploy,
  planDownload,
  planPack,
  planRecipe,
  planReleases,
  planVerify,
} from './install.ts';
import { planEvidence, planPublish, planValidate } from './proof.ts';
import { planUpgradeCheck } from './upgrade.ts';

/**
 * Turns what shall be done into the ordered list of steps, with every argument list written out.
 * @throws RunError `BinaryNotRunnable` when aicrArch names another CPU kind than the node's, `RunSpecInvalid` when
 *   aicrSource.baseUrl cannot be used
 */
export function plan(spec: RunSpec, host: Host): readonly PlannedStep[] {
  const files = filesIn(host.work);
  const { deploy, upgradeCheck, validate, pack } = spec;
  const publishes = validate.enabled && validate.emitEvidence && validate.publish.enabled;
  return [
    planDownload(spec, host, files),
    ...(pack.ref === '' ? [] : [planPack(spec, host, files)]),
    planRecipe(spec, files),
    ...(deploy.enabled ? [planBundle(spec, files), planVerify(files), planReleases(spec, files)] : []),
    ...(deploy.enabled && upgradeCheck.enabled ? [planUpgradeCheck(spec, files)] : []),
    ...(deploy.enabled ? [planDeploy(spec, files)] : []),
    ...(validate.enabled ? [planValidate(spec, files)] : []),
    ...(validate.enabled && validate.emitEvidence ? [planEvidence(spec, files)] : []),
    ...(publishes ? [planPublish(spec, host, files)] : []),
  ];
}
