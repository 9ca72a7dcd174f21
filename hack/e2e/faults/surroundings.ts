import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect } from 'vitest';
import { Mirror } from '../../cluster/index.ts';
import { archiveName, hostArch } from '../../standin/index.ts';
import { expectFailure } from '../failure.ts';
import { ALL_WELL, expectKept, publishing } from '../proof.ts';
import { WAITING } from '../scenario.ts';
import { type Act, AT_ONCE } from './stage.ts';
import { pausing } from './stopped.ts';

/** Nothing listens there. */
const CLOSED_PORT = 1;

const mirrorCut: Act = async (stage) => {
  const { release, scenario } = stage;
  const { cluster, aicr } = scenario;
  const mirror = await Mirror.start(cluster.mirrorRoot, cluster.address);
  stage.atEnd(() => mirror.stop());
  const path = `/${aicr.version}/${archiveName(aicr.version, hostArch())}`;
  mirror.fail(path, { cutAfter: 100_000 }, { cutAfter: 1_000_000 });
  const values = { ...(await stage.pack('acme')), aicrSource: { baseUrl: mirror.url } };
  const job = await stage.install(values);
  await stage.expectComplete(job);
  expect((await release.statusOf(job)).steps[0]).toMatchObject({ name: 'download', attempts: 3 });
  await stage.remember();
  const log = await job.log();
  return { release, next: values, cause: new RegExp(`${path}.*(again|retr)`), shown: () => log };
};

const mirrorDown: Act = async (stage) => {
  const { release, scenario } = stage;
  const next = await stage.pack('acme');
  const baseUrl = `http://${scenario.cluster.address}:${CLOSED_PORT}`;
  const job = await stage.install({ ...next, aicrSource: { baseUrl } });
  await expectFailure(release, 'DownloadFailed');
  await stage.remember();
  return { release, next, cause: new RegExp(`${baseUrl}/.*tried 7 times`, 's'), shown: stage.shownBy(job) };
};

const packRegistryDown: Act = async (stage) => {
  const { release, scenario } = stage;
  const next = await stage.pack('acme');
  const dataPack = `${scenario.cluster.address}:${CLOSED_PORT}/acme/pack:1`;
  const job = await stage.install({ ...next, dataPack, dataPackSecret: '' });
  await expectFailure(release, 'PackPullFailed');
  await stage.remember();
  return { release, next, cause: new RegExp(`${dataPack}.*tried 7 times`, 's'), shown: stage.shownBy(job) };
};

const evidenceRegistryDown: Act = async (stage) => {
  const { release, scenario } = stage;
  const { cluster, word } = scenario;
  const values = await stage.pack('acme', ALL_WELL);
  const host = `${cluster.address}:${CLOSED_PORT}`;
  const job = await stage.install(
    publishing(values, { ref: `${host}/e/${word}`, plainHTTP: true, failOnError: true }),
  );
  await expectFailure(release, 'PublishFailed');
  await expectKept(scenario);
  await stage.remember();
  const next = publishing(values, { ref: `${cluster.openRegistry.host}/e/${word}`, plainHTTP: true });
  return { release, next, cause: new RegExp(`${host} cannot be reached`), shown: stage.shownBy(job) };
};

const diskFull: Act = async (stage) => {
  const { release } = stage;
  const values = await stage.pack('acme-slow');
  // The component is waited for: the kubelet looks at volumes every ten seconds only.
  const job = await stage.install({ ...values, ...WAITING, job: { tmpSizeLimit: '1Mi' } });
  await stage.expectFailed(job);
  await stage.remember();
  const pods = await job.pods();
  expect(pods).toHaveLength(1);
  const message = pods[0]?.status.message ?? '';
  return {
    release,
    next: { ...values, ...AT_ONCE },
    cause: /Usage of EmptyDir volume "tmp" exceeds the limit "1Mi"/,
    shown: () => message,
  };
};

const deployHangs: Act = async (stage) => {
  const { release, scenario } = stage;
  const values = await stage.pack('acme-slow');
  const job = await stage.install({ ...values, ...WAITING, job: { activeDeadlineSeconds: 150 } });
  await stage.untilHelmWaits();
  await stage.remember();
  await expectFailure(release, 'DeadlineExceeded');
  const cause = new RegExp(`deadline came at step deploy, component 1 of 2, ${scenario.word}-slow`);
  return { release, next: { ...values, ...AT_ONCE }, cause, shown: stage.shownBy(job) };
};

const validateHangs: Act = async (stage) => {
  const { release } = stage;
  const next = { ...(await stage.pack('acme', ALL_WELL)), validate: { enabled: true } };
  const job = await stage.install({
    ...next,
    job: { ...pausing('validate').job, activeDeadlineSeconds: 150 },
  });
  await stage.until('validate');
  await stage.remember();
  await expectFailure(release, 'DeadlineExceeded');
  return { release, next, cause: /deadline came at step validate/, shown: stage.shownBy(job) };
};

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Another suite's test is all of the row. */
const provenBy =
  (...args: readonly string[]): Act =>
  async () => {
    const environment = Object.entries(process.env).filter(([name]) => !/^VITEST/.test(name));
    const ran = await execa('vitest', ['run', ...args], {
      cwd: ROOT,
      preferLocal: true,
      localDir: ROOT,
      all: true,
      reject: false,
      extendEnv: false,
      env: Object.fromEntries(environment),
    });
    expect(ran.exitCode, ran.all).toBe(0);
    // Vitest is content with a pattern that fits no test.
    expect(ran.all).toMatch(/Tests .*\d+ passed/);
    return null;
  };

/** What goes wrong around the run. */
export const SURROUNDINGS_ACTS = {
  'mirror cut': mirrorCut,
  'mirror down': mirrorDown,
  'pack registry down': packRegistryDown,
  'evidence registry down': evidenceRegistryDown,
  'disk full': diskFull,
  'deploy.sh hangs': deployHangs,
  'validate hangs': validateHangs,
  'token replaced': provenBy(
    ...['--project', 'runner', 'test/runner/handover.test.ts', '-t', 'ServiceAccount token that is replaced'],
  ),
  'clock jumps': provenBy('--project', 'unit', 'test/lock'),
} as const satisfies Record<string, Act>;
