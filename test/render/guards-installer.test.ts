import { describe, expect, test } from 'vitest';
import { splitFlags } from '../../src/runner/plan/flags.ts';
import { type Any, FULL, refuse, render } from './helm.ts';
import { containersOf } from './pod.ts';
import { REPRESENTATIVE } from './representative.ts';

const EVERYTHING = REPRESENTATIVE.find(({ name }) => name === 'everything at once')?.values;
/** What separates two words of a `*Flags` text. */
const BLANKS = [' ', '  ', '\t', '\n', '\r\n', '\f', '\v'];

describe.concurrent('guards see what the installer sees', () => {
  test('know every volume and every folder of the pod', async () => {
    const { pod } = await render(EVERYTHING);
    const own = ({ name }: Any): boolean => name !== 'overrides';
    const volumes: readonly string[] = pod.volumes.filter(own).map(({ name }: Any) => name);
    const mounts = containersOf(pod).flatMap(({ volumeMounts }) => volumeMounts.filter(own));
    const folders = [...new Set<string>(mounts.map(({ mountPath }) => mountPath))];
    expect([volumes.length, folders.length]).toEqual([8, 8]);
    const job = {
      extraVolumes: volumes.map((name) => ({ name, emptyDir: {} })),
      extraVolumeMounts: folders.map((mountPath) => ({ name: 'mine', mountPath })),
    };
    const lines = (await refuse({ ...FULL, job })).split('\n');
    expect(lines.map((line) => line.slice(0, line.indexOf(' is a ')))).toEqual([
      ...volumes.map((name, index) => `job.extraVolumes[${index}]: ${name}`),
      ...folders.map((folder, index) => `job.extraVolumeMounts[${index}]: ${folder}`),
    ]);
  });

  test.each(BLANKS)('know the words of a text of flags behind %j', async (blank) => {
    const words = (...all: readonly string[]): string => {
      expect(splitFlags(all.join(blank))).toEqual(all);
      return all.join(blank);
    };
    expect(await refuse({ ...FULL, validateFlags: words('--timeout=1m', '--push', 'r.example/p') })).toMatch(
      /^validateFlags: --push would publish/,
    );
    await render({ ...FULL, service: 'any', recipeFlags: words('--nodes=4', '--service', 'acme') });
    const validate = { enabled: true };
    const { runSpec } = await render({ ...FULL, validate, deployFlags: words('--best-effort', '--no-wait') });
    expect(runSpec.warnings).toEqual([expect.stringContaining('--no-wait is in deployFlags')]);
  });
});
