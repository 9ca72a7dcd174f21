import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RunError } from '../../src/contract/index.ts';
import type { UpgradeCheckStep } from '../../src/runner/planned.ts';
import { runStep, type StepOutcome } from '../../src/runner/steps/index.ts';
import { sha256 } from './archives.ts';
import { type TestContext, temporaryFolder, testContext } from './context.ts';
import { MemoryCluster } from './memory-cluster.ts';
import { program } from './recipes.ts';

const CHECKSUMS = 'abc  deploy.sh\n';

/** Digest of the bundle that is judged. */
export const DIGEST = `sha256:${sha256(Buffer.from(CHECKSUMS))}`;

/** aicr's report of these components, said by a script. */
export const says = (components: readonly object[] | null, end = ''): string =>
  `cat <<'REPORT'\n${JSON.stringify({ from: 'cluster', components, summary: {} })}\nREPORT\n${end}`;

/** A component that stops the run by default. */
export const BLOCKED = {
  component: 'gpu-operator',
  change: 'version',
  from: '26.3.3',
  to: '26.7.2',
  verdict: 'blocked',
  reason: 'undefined-origin',
  explanation: 'no record describes an upgrade starting from 26.3.3',
  failsRun: true,
};

/** A bundle in a folder of its own, and a cluster, about which an aicr is asked that does what a script says. */
export class UpgradeCheck {
  readonly work = temporaryFolder();
  readonly cluster = new MemoryCluster();
  readonly test: TestContext = testContext(this.cluster);

  constructor() {
    mkdirSync(join(this.work, 'bundle'));
    writeFileSync(join(this.work, 'bundle', 'checksums.txt'), CHECKSUMS);
  }

  /** @param check what aicr does once it is asked for more than its help */
  step(check: string, change: Partial<UpgradeCheckStep> = {}): UpgradeCheckStep {
    const help = 'case "$*" in *--help) echo "   --fail-on-error   exit with 2"; exit 0;; esac';
    const aicr = this.script('aicr', `${help}\n${check}`);
    return {
      name: 'upgradeCheck',
      does: 'ask',
      argv: [aicr, 'upgrade-check', '--from', 'cluster'],
      helpArgv: [aicr, 'upgrade-check', '--help'],
      dir: join(this.work, 'bundle'),
      reportFile: join(this.work, 'upgrade-check.json'),
      failOn: ['blocked'],
      target: { configMap: 'aicr-upgrade-check', release: 'gpu', namespace: 'nvidia-aicr' },
      statusConfigMap: 'gpu-status',
      version: 'v1.2.0',
      ...change,
    };
  }

  /** Writes a program. @returns its path */
  script(name: string, text: string): string {
    const file = join(this.work, name);
    writeFileSync(file, program(text));
    chmodSync(file, 0o755);
    return file;
  }

  readonly run = (check: string, change?: Partial<UpgradeCheckStep>): Promise<StepOutcome> =>
    runStep(this.step(check, change), this.test.context);

  /** How the run fails; an error when it does not. */
  readonly failure = async (check: string, change?: Partial<UpgradeCheckStep>): Promise<RunError> => {
    const error = await this.run(check, change).then(
      () => new Error('it did not fail'),
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof RunError)) throw error;
    return error;
  };
}
