import type { RunSpec } from '../../contract/index.ts';
import type { UpgradeCheckStep } from '../planned.ts';
import type { Files } from './files.ts';
import { targetOf } from './target.ts';

/** No `--data`: a resolved recipe holds what the check needs, and it refuses the flag. */
export function planUpgradeCheck(spec: RunSpec, files: Files): UpgradeCheckStep {
  const { failOn, configMap } = spec.upgradeCheck;
  const check = [files.aicr, 'upgrade-check'] as const;
  const move = ['--from', 'cluster', '--to', files.recipe.file, '--deployer', 'helm'] as const;
  return {
    name: 'upgradeCheck',
    does: `ask aicr whether moving to this recipe is safe (stops at ${failOn.join(', ') || 'no verdict'})`,
    // Whatever needs attention is read from the report: the exit code also means a wrong flag.
    argv: [...check, ...move, '-t', 'json', '--fail-on-error=false'],
    helpArgv: [...check, '--help'],
    dir: files.bundle,
    reportFile: files.upgrade,
    failOn,
    target: targetOf(spec, configMap),
    statusConfigMap: spec.status.configMap,
    version: spec.aicr.version,
  };
}
