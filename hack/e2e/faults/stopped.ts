import { expect } from 'vitest';
import { killHard } from '../kill.ts';
import { eventually } from '../patience.ts';
import { ALL_WELL, publishing } from '../proof.ts';
import { listReleases } from '../release.ts';
import { WAITING } from '../scenario.ts';
import { askStatus } from './command.ts';
import { startHold } from './hold.ts';
import { type Act, AT_ONCE, type Stage } from './stage.ts';
import { SIGNALS, STOPPED_STEPS, type StoppedStep, type StopSignal } from './table.ts';

/** Values of a run that stays at a step, and of the one after it, which does not. */
interface Held {
  readonly values: object;
  readonly next: object;
  /** Whether the run has come to where it is held, beyond what its status says. */
  readonly there?: () => boolean;
}

/** A command of aicr's that does not end by itself. */
export const pausing = (command: string) => ({
  job: { extraEnv: [{ name: 'STANDIN_PAUSE', value: command }] },
});

const paused =
  (command: string) =>
  async (stage: Stage): Promise<Held> => {
    const next = await stage.pack('acme');
    return { next, values: { ...next, ...pausing(command) } };
  };

/** What keeps a run at each step. */
const HOLDS: Readonly<Record<StoppedStep, (stage: Stage) => Promise<Held>>> = {
  download: async (stage) => {
    const next = await stage.pack('acme');
    const hold = await holdFor(stage);
    const values = { ...next, aicrSource: { baseUrl: `http://${hold.host}` } };
    return { next, values, there: () => hold.asked() > 0 };
  },
  pack: async (stage) => {
    const next = await stage.pack('acme');
    const hold = await holdFor(stage);
    const values = { ...next, dataPack: `${hold.host}/acme/pack:1`, dataPackSecret: '' };
    return { next, values, there: () => hold.asked() > 0 };
  },
  recipe: paused('recipe'),
  bundle: paused('bundle'),
  verify: paused('verify'),
  deploy: async (stage) => {
    const values = await stage.pack('acme-slow');
    return { values: { ...values, ...WAITING }, next: { ...values, ...AT_ONCE } };
  },
  validate: async (stage) => {
    const values = await stage.pack('acme', ALL_WELL);
    const next = { ...values, validate: { enabled: true } };
    return { next, values: { ...next, ...pausing('validate') } };
  },
  publish: async (stage) => {
    const { cluster, word } = stage.scenario;
    const values = await stage.pack('acme', ALL_WELL);
    const hold = await holdFor(stage);
    const to = (host: string) => publishing(values, { ref: `${host}/e/${word}`, plainHTTP: true });
    return { next: to(cluster.openRegistry.host), values: to(hold.host), there: () => hold.asked() > 0 };
  },
};

async function holdFor(stage: Stage) {
  const hold = await startHold(stage.scenario.cluster.address);
  stage.atEnd(() => hold.stop());
  return hold;
}

const stoppedAt =
  (step: StoppedStep, signal: StopSignal): Act =>
  async (stage) => {
    const { release } = stage;
    const { values, next, there = () => true } = await HOLDS[step](stage);
    const job = await stage.install(values);
    await stage.until(step);
    await eventually(`it is held at ${step}`, async () => there() || undefined);
    if (step === 'deploy') await stage.untilHelmWaits();
    await stage.remember();

    if (signal === 'SIGTERM') {
      await stage.deletePod(job);
      await stage.expectFailed(job);
      const status = await release.statusWhen('it has ended', ({ finishedAt }) => finishedAt !== '', job);
      expect(status).toMatchObject({ phase: 'Interrupted', reason: 'Interrupted' });
      if (step === 'deploy') expect(await slowRelease(stage)).toBe('failed');
      return { release, next, cause: new RegExp(`interrupted at step ${step}`), shown: stage.shownBy(job) };
    }
    await killHard(await job.running());
    await stage.expectFailed(job);
    expect(await release.statusOf(job)).toMatchObject({ phase: 'Running' });
    const told = await askStatus(stage.scenario);
    if (step !== 'deploy') return { release, next, cause: FROM_OUTSIDE, shown: () => told };
    expect(told).toMatch(FROM_OUTSIDE);
    expect(await slowRelease(stage)).toBe('pending-install');
    const cause = new RegExp(`left in pending-install \\(run ${job.name} was stopped in the middle of it\\)`);
    return { release, next, cause, shown: ({ warnings }) => warnings.join('\n') };
  };

/** How the command says it of a run that could not say it itself. */
const FROM_OUTSIDE = /killed \(SIGKILL, exit code 137\)|the Job has failed/;

/** State of the slow component's Helm release. */
async function slowRelease({ scenario }: Stage): Promise<string | undefined> {
  return (await listReleases(scenario.cluster, `${scenario.word}-slow`))[0]?.status;
}

/** A run that is stopped at each of its steps, in both ways. */
export const STOPPED_ACTS = Object.fromEntries(
  STOPPED_STEPS.flatMap((step) => SIGNALS.map((signal) => [`${signal} at ${step}`, stoppedAt(step, signal)])),
) as Record<`${StopSignal} at ${StoppedStep}`, Act>;
