import { expect } from 'vitest';
import type { RunStatus } from '../../../src/contract/index.ts';
import type { InstallJob } from '../job.ts';
import type { ConfigMap } from '../namespace.ts';
import { eventually } from '../patience.ts';
import { type ChartRelease, listReleases } from '../release.ts';
import { type Scenario, WAITING } from '../scenario.ts';

/** deploy.sh has nothing to wait for. */
export const AT_ONCE = { deployFlags: '--no-wait --retries 0' };

/** What a row leaves for the closing assertions. */
export interface Aftermath {
  readonly release: ChartRelease;
  /** Values of the next run: those of the run that suffered, without what made it suffer. */
  readonly next: object;
  /** The release is not there any more, and is installed anew. */
  readonly gone?: true;
  /** Another run has written its own results since the fault: of those before, the keys are still looked for. */
  readonly replaced?: true;
  /** What names the cause. */
  readonly cause: RegExp;
  /** What a user is shown. @param next status of the next run */
  readonly shown: (next: RunStatus) => Promise<string> | string;
}

/** What a row does. @returns null when another suite's test was all of it */
export type Act = (stage: Stage) => Promise<Aftermath | null>;

/** A row's part of the cluster, with what it does to it. */
export class Stage {
  readonly scenario: Scenario;
  readonly release: ChartRelease;
  /** Results that the runs had reached when the fault struck, by ConfigMap. */
  readonly reached = new Map<string, ConfigMap>();
  readonly #endings: (() => Promise<void> | void)[] = [];

  constructor(scenario: Scenario) {
    this.scenario = scenario;
    this.release = scenario.release();
  }

  /** Does this when the row is over, however it went. */
  atEnd(ending: () => Promise<void> | void): void {
    this.#endings.push(ending);
  }

  /** Ends the row. */
  async end(): Promise<void> {
    for (const ending of this.#endings.reverse()) await ending();
  }

  /** Values that ask for the scenario's copy of a data pack, whose registry it may read. */
  async pack(...args: Parameters<Scenario['pack']>): Promise<object> {
    const { values } = await this.scenario.pack(...args);
    await this.scenario.packSecret();
    return values;
  }

  /** Installs the chart. @returns its Job */
  async install(values: object): Promise<InstallJob> {
    await this.release.install(values);
    return await this.release.job();
  }

  /** Installs the slow component, and comes back while helm waits for it. */
  async installSlowly(extra: object = {}): Promise<{ values: object; job: InstallJob }> {
    const values = { ...(await this.pack('acme-slow')), ...extra };
    const job = await this.install({ ...values, ...WAITING });
    await this.untilHelmWaits();
    await this.remember();
    return { values, job };
  }

  /** Waits until helm waits for the slow component. */
  async untilHelmWaits(): Promise<void> {
    const slow = `${this.scenario.word}-slow`;
    await this.release.statusWhen('a component is being installed', ({ components }) =>
      components.some(({ state }) => state === 'Installing'),
    );
    await eventually('helm waits', async () => {
      const [listed] = await listReleases(this.scenario.cluster, slow);
      return listed?.status.startsWith('pending') || undefined;
    });
  }

  /** Waits until the run is at a step. */
  async until(step: string): Promise<void> {
    await this.release.statusWhen(`it is at ${step}`, ({ steps }) =>
      steps.some(({ name, state }) => name === step && state === 'Running'),
    );
  }

  /** Writes down which results there are; the closing assertions look for them again. */
  async remember(): Promise<void> {
    for (const name of await this.release.results()) {
      const found = await this.scenario.namespace.configMap(name);
      if (found !== undefined) this.reached.set(name, found);
    }
  }

  /** Asks the pod of a Job to end, as the API does when somebody deletes it. */
  async deletePod(job: InstallJob): Promise<void> {
    const { metadata } = await job.running();
    await this.scenario.namespace.kubectl(['delete', 'pod', metadata.name, '--wait=false']);
  }

  /** Expects that a Job's run ends in a failure. */
  async expectFailed(job: InstallJob): Promise<void> {
    expect(await job.ended(8), await job.story()).toBe('Failed');
  }

  /** Expects that a Job's run ends well. */
  async expectComplete(job: InstallJob): Promise<void> {
    expect(await job.ended(8), await job.story()).toBe('Complete');
  }

  /** The end of a Job's run, as its own document says it, whatever runs come after it. */
  shownBy(job: InstallJob): () => Promise<string> {
    return async () => {
      const { reason, message, hint } = await this.release.statusOf(job);
      return `${reason}: ${message}\n${hint}`;
    };
  }
}
