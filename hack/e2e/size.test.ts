import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject } from 'vitest';
import { ALL_WELL, EVIDENCE, Reader, VERDICT } from './proof.ts';
import { type Scenario, test } from './scenario.ts';

/** The command and the sum with which a split result is joined, as the ConfigMap has them. */
async function joining(
  { namespace }: Scenario,
  configMap: string,
): Promise<{ command: string; sum: string }> {
  const text = (await namespace.configMap(configMap))?.data?.['READ-THIS.txt'] ?? '';
  const command = /^ +(for i in .*)$/m.exec(text)?.[1] ?? '';
  const sum = /^sha256 of the joined file: ([0-9a-f]{64})$/m.exec(text)?.[1] ?? '';
  return { command, sum };
}

// What a check prints is the data pack's to say with the stand-in only.
test.skipIf(!inject('prepared').aicr.standIn)(
  'evidence of 5 MB is split, and comes back whole with the command that its ConfigMap has',
  async ({ scenario }) => {
    const prints = randomBytes(5_300_000).toString('base64');
    const { values } = await scenario.pack('acme', { ...ALL_WELL, burn: { ends: 'passed', prints } });
    await scenario.packSecret();
    const release = scenario.release();
    const validate = { enabled: true, emitEvidence: true };
    await release.install({ ...values, deploy: { enabled: false }, validate, validateFlags: '--full' });
    const job = await release.job();
    expect(await job.ended(), await job.story()).toBe('Complete');
    const status = await release.status();
    expect(status).toMatchObject({ phase: 'Succeeded', validation: { outcome: 'Passed', tests: 5 } });

    await Reader.use(scenario, async (reader) => {
      const evidence = await joining(scenario, EVIDENCE);
      await reader.shell(evidence.command);
      expect(await reader.shell('sha256sum evidence.tgz')).toBe(`${evidence.sum}  evidence.tgz`);
      expect(status.evidence.sha256).toBe(`sha256:${evidence.sum}`);
      expect((await stat(join(reader.folder, 'evidence.tgz'))).size).toBeGreaterThan(5_000_000);
      await reader.shell('mkdir evidence && tar xzf evidence.tgz -C evidence');
      expect(await reader.follow('evidence.md', 'evidence verify')).toContain('bundle valid');

      // The report is as large; the one in the ConfigMap itself is cut, and still one.
      expect(JSON.parse(await reader.follow('validation.md', 'jq .results.summary'))).toMatchObject({
        tests: 5,
        passed: 5,
      });
      const report = await joining(scenario, VERDICT);
      await reader.shell(report.command);
      expect(await reader.shell('sha256sum ctrf.json')).toBe(`${report.sum}  ctrf.json`);
      const [printed] = JSON.parse(
        await reader.shell('jq \'.results.tests[] | select(.name == "burn") | .stdout\' ctrf.json'),
      ) as string[];
      expect(printed).toHaveLength(prints.length);
    });
  },
);
