import { describe, expect, test } from 'vitest';
import { FULL } from './helm.ts';
import { warnings } from './notes.ts';

const storage = async (limit: string | number, tmpSizeLimit: string | number): Promise<readonly string[]> => {
  const resources = { limits: { 'ephemeral-storage': limit } };
  return warnings({ ...FULL, job: { tmpSizeLimit, resources } });
};

describe.concurrent('the warning of too little storage', () => {
  // A limit, and the most that /tmp may have of it in MiB: 512 MiB are the program's.
  test.each([
    ['2147483648', 1536],
    ['2097152Ki', 1536],
    ['2048Mi', 1536],
    ['2Gi', 1536],
    ['1Ti', 1_048_064],
    ['1048576k', 488],
    ['2097152M', 1_999_488],
    ['1024G', 976_050],
    ['16T', 15_258_277],
  ])('knows what %s is', async (limit, most) => {
    expect(await storage(limit, `${most}Mi`)).toEqual([]);
    expect(await storage(limit, `${most + 1}Mi`)).toEqual([
      `job.resources.limits.ephemeral-storage is ${limit}, less than job.tmpSizeLimit ${most + 1}Mi and 512Mi together: the pod is evicted before /tmp is full.`,
    ]);
  });

  test.each([
    ['1536Mi', 0],
    ['1.5Gi', 0],
    ['1.51Gi', 1],
    [`${1536 * 1024}Ki`, 0],
    [`${1537 * 1024}Ki`, 1],
    [1_610_612_736, 0],
    [1_611_661_312, 1],
  ])('knows what %s is for /tmp', async (tmp, count) => {
    expect(await storage('2Gi', tmp)).toHaveLength(count);
  });

  test.each([
    ['a unit that is not for sizes', '2000m', '4Gi'],
    ['an exponent', '2e9', '4Gi'],
    ['a unit that is not for sizes, for /tmp', '2Gi', '4000000000000m'],
  ])('says nothing of %s', async (_name, limit, tmp) => {
    expect(await storage(limit, tmp)).toEqual([]);
  });

  test('says nothing without a limit', async () => {
    const job = { resources: { limits: { 'ephemeral-storage': null } } };
    expect(await warnings({ ...FULL, job })).toEqual([]);
  });
});

describe.concurrent('warnings', () => {
  test('count a service any in capitals as open', async () => {
    const [warning] = await warnings({ accelerator: 'h100', service: 'ANY', os: 'ubuntu' });
    expect(warning).toMatch(/^Thin criteria: service, intent not stated\./);
  });

  const validated = (more: object): object => ({ ...FULL, validate: { enabled: true }, ...more });

  test.each([
    ['nowhere', { deployFlags: '--best-effort' }, []],
    ['in deployFlags', { deployFlags: '--a  --no-wait' }, ['deployFlags']],
    ['in deployArgs', { deployFlags: '', deployArgs: ['--no-wait'] }, ['deployArgs']],
    ['in both', { deployArgs: ['--no-wait'] }, ['deployArgs']],
    ['in the arguments of another program', { deployFlags: '', validateArgs: ['--no-wait'] }, []],
    ['in a longer word', { deployFlags: '--no-waiting' }, []],
  ])('tell where --no-wait is: %s', async (_name, more, places) => {
    expect(await warnings(validated(more))).toEqual(
      places.map(
        (place) =>
          `Validation is on, but --no-wait is in ${place}: what is still starting fails its checks. Take --no-wait out, so that deploy.sh waits before the verdict.`,
      ),
    );
  });

  test('tell what weakens a publication', async () => {
    const publish = { enabled: true, ref: 'r.example/p', identityTokenSecret: { name: 'id' } };
    const values = {
      ...FULL,
      deployFlags: '',
      validate: { enabled: true, emitEvidence: true, publish },
      rbac: { clusterRole: 'installer' },
    };
    expect(await warnings(values)).toEqual([
      'validate.publish.registrySecret is empty: the evidence is pushed anonymously, which most registries refuse.',
      'Evidence is signed in the cluster: the identity token of Secret id comes into a pod with the rights of installer. Use a short-lived one made for this run; it must still be valid after install and validation.',
    ]);
  });

  test('read as whole sentences', async () => {
    expect(await warnings({ accelerator: 'h100', job: { backoffLimit: 2 } })).toEqual([
      "Thin criteria: service, intent, os not stated. aicr then resolves a smaller stack than the cluster may need, and says nothing; compare the recipe's summary with what you expect.",
      'job.backoffLimit is 2: a failed pod is replaced although the installer has retried already, and helm --wait goes on waiting on a failing Job.',
    ]);
    expect(await warnings({ dataPack: 'r.example/p' })).toEqual([
      'A data pack is set, but no criteria are: aicr stops with "no criteria provided" unless recipeArgs or recipeFlags hold some. State those that your pack registers.',
    ]);
  });
});
