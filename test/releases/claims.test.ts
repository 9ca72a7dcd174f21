import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { COMPONENTS_CONFIG_MAP, componentKey, newestRunKey, RunError } from '../../src/contract/index.ts';
import {
  type Claims,
  claim,
  claimsOf,
  readClaims,
  settle,
  writeClaims,
} from '../../src/runner/steps/releases/claims.ts';
import {
  changeLedger,
  ledgerText,
  type RunMark,
  readLedger,
} from '../../src/runner/steps/releases/ledger.ts';
import { temporaryFolder, testContext } from '../steps/context.ts';
import { unreachable } from '../steps/memory-cluster.ts';
import { HelmCluster } from './helm-cluster.ts';
import { entry, FIRST, ledger, mark, missing, SELF, there } from './release.ts';

const me: RunMark = { by: 'ns/gpu', run: 'gpu-install-2', at: '2026-11-30T11:00:00.000Z', aicr: 'v1.3.0' };
const alpha = componentKey('alpha-ns', 'alpha');
const beta = componentKey('beta-ns', 'beta');
const gamma = componentKey('gamma-ns', 'gamma');
const mayNot = new RunError('RightsMissing', 'the list may not be written', { hint: '' });

let cluster: HelmCluster;
let world: ReturnType<typeof testContext>;
beforeEach(() => {
  cluster = new HelmCluster();
  world = testContext(cluster);
});

describe('what a run claims before it deploys', () => {
  test('is every component: new ones, its own, and what it takes over', () => {
    const found = [there('alpha'), there('beta'), missing('gamma')];
    const { change, planned } = claimsOf(found, ledger({ alpha: entry(FIRST) }), me, SELF);
    const fresh = { how: 'installed', made: me, deployed: me, firstDeployed: '' };
    const read = Object.entries(change).map(([key, text]) => [key, JSON.parse(text ?? 'null')]);
    expect(Object.fromEntries(read)).toEqual({
      [newestRunKey('ns', 'gpu')]: me,
      [alpha]: { how: 'installed', made: mark, deployed: me, firstDeployed: FIRST },
      [beta]: { how: 'adopted', made: me, deployed: me, firstDeployed: FIRST },
      [gamma]: fresh,
    });
    expect(planned).toEqual([{ name: 'gamma', namespace: 'gamma-ns', entry: fresh }]);
  });

  test('is anew what somebody installed after the list was written', () => {
    const old = entry('2026-11-30T09:00:00.000Z');
    const { change } = claimsOf([there('alpha')], ledger({ alpha: old }), me, SELF);
    expect(JSON.parse(change[alpha] ?? '')).toMatchObject({ how: 'adopted', made: me });
  });

  test('is handed from one step to the other in a file', async () => {
    const file = join(temporaryFolder(), 'claims.json');
    const claims = { namespace: 'kube-system', required: true, change: { [alpha]: null }, planned: [] };
    await writeClaims(file, claims);
    expect(await readClaims(file)).toEqual(claims);
  });

  const claims = (required: boolean): Claims => ({
    namespace: 'kube-system',
    required,
    change: { [alpha]: ledgerText(entry('')) },
    planned: [],
  });

  test('is written for people to read, beside what others wrote', async () => {
    cluster.place(COMPONENTS_CONFIG_MAP, null, { [beta]: ledgerText(entry(FIRST)) });
    await claim(claims(true), world.context);
    expect(cluster.texts(COMPONENTS_CONFIG_MAP)[alpha]).toMatch(/^\{\n {2}"how": "installed",\n/);
    const list = await readLedger('kube-system', world.context);
    expect(list.entry({ namespace: 'alpha-ns', name: 'alpha' })).toEqual(entry(''));
    expect(list.entry({ namespace: 'beta-ns', name: 'beta' })).toEqual(entry(FIRST));
    expect(world.recorded.warnings).toEqual([]);
  });

  test('may be left unwritten where the rights are missing and nothing requires them; that is said', async () => {
    cluster.trouble = mayNot;
    await claim(claims(false), world.context);
    expect(world.recorded.warnings).toEqual([
      "the list may not be written: the releases of this run are not recorded, and the next run takes them for somebody else's",
    ]);
    await expect(claim(claims(true), world.context)).rejects.toBe(mayNot);
  });

  test.each([
    ['nothing answers', unreachable, /does not answer: refused \(tried 7 times\)/],
    ['of anything else', new Error('oops'), /^oops$/],
  ])('stops the run when it cannot be written because %s', async (_, trouble, message) => {
    cluster.mergeTexts = () => Promise.reject(trouble);
    await expect(claim(claims(false), world.context)).rejects.toThrow(message);
    expect(world.recorded.warnings).toEqual([]);
  });
});

describe('the list', () => {
  test('is asked for again when nothing answers, and empty when it is not there', async () => {
    const works = cluster.readTexts.bind(cluster);
    let asked = 0;
    cluster.readTexts = async (namespace, name) => {
      asked += 1;
      if (asked === 1) throw unreachable;
      expect([namespace, name]).toEqual(['kube-system', 'nvidia-aicr-components']);
      return await works(namespace, name);
    };
    const list = await readLedger('kube-system', world.context);
    expect(list.newestRun(SELF)).toBeNull();
    expect(world.recorded.retries).toHaveLength(1);
  });

  test('is not touched by a run that has nothing to write', async () => {
    cluster.trouble = mayNot;
    await changeLedger('kube-system', {}, world.context);
    await expect(changeLedger('kube-system', { [alpha]: null }, world.context)).rejects.toBe(mayNot);
  });
});

describe('what a run planned is settled when it has deployed', () => {
  const planned = ['alpha', 'beta', 'gamma'].map((name) => ({
    name,
    namespace: `${name}-ns`,
    entry: entry(''),
  }));
  const plan: Claims = { namespace: 'kube-system', required: true, change: {}, planned };
  beforeEach(() => {
    const claimed = { [alpha]: '{}', [beta]: '{}', [gamma]: '{}', other: 'kept' };
    cluster.place(COMPONENTS_CONFIG_MAP, null, claimed);
  });

  test('what came to be has its first time, and what did not, or was there before, is off the list', async () => {
    cluster.install('alpha', 1);
    cluster.install('gamma', 1, { first_deployed: '2026-11-30T09:59:59Z' });
    await settle(plan, world.context);
    const texts = cluster.texts(COMPONENTS_CONFIG_MAP);
    expect(Object.keys(texts).sort()).toEqual([alpha, 'other'].sort());
    expect(JSON.parse(texts[alpha] ?? '')).toEqual(entry(FIRST));
  });

  test('a failure is logged and fails nothing, nor does it count as another attempt of the deployment', async () => {
    cluster.trouble = unreachable;
    await settle(plan, world.context);
    expect(world.recorded.log.at(-1)).toBe(
      'when the new releases were installed could not be recorded: the API server does not answer: refused (tried 7 times)',
    );
    expect(world.recorded.retries).toEqual([]);
  });

  test('nothing is said of it when the run is over', async () => {
    world.abort(new RunError('Interrupted', 'SIGTERM', { hint: '' }));
    cluster.listSecrets = (_namespace, _type, _selector, signal?: AbortSignal) =>
      Promise.reject(signal?.reason);
    await settle(plan, world.context);
    expect(world.recorded.log).toEqual([]);
  });

  describe('within ten seconds', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    test('whatever the API server does', async () => {
      let aborted: unknown = null;
      cluster.listSecrets = (_namespace, _type, _selector, signal?: AbortSignal) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => {
            aborted = signal.reason;
            reject(signal.reason);
          });
        });
      const ended = settle(plan, world.context);
      await vi.advanceTimersByTimeAsync(9_999);
      expect(aborted).toBeNull();
      await vi.advanceTimersByTimeAsync(1);
      await ended;
      expect(world.recorded.log).toEqual([
        'when the new releases were installed could not be recorded: no answer within 10 s',
      ]);
    });

    test('which are not waited for when it answers', async () => {
      await settle(plan, world.context);
      expect(vi.getTimerCount()).toBe(0);
    });
  });
});
