import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { toolPath } from '../../hack/cluster/index.ts';
import { scratchFolder } from '../render/chart.ts';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}
interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: unknown;
  readonly jobs: Readonly<
    Record<
      string,
      { readonly permissions: Readonly<Record<string, string>>; readonly steps: readonly Step[] }
    >
  >;
}

const folder = fileURLToPath(new URL('../../.github/workflows/', import.meta.url));
const files = readdirSync(folder).sort();
const texts = new Map(files.map((file) => [file, readFileSync(path.join(folder, file), 'utf8')]));
const workflow = (file: string): Workflow => parse(texts.get(file) ?? '') as Workflow;
const jobs = files.flatMap((file) =>
  Object.entries(workflow(file).jobs).map(([name, job]) => ({ file, name, job })),
);

const actionlint = async (...paths: readonly string[]) =>
  await execa(toolPath('actionlint'), ['-no-color', ...paths], { reject: false, stdin: 'ignore' });

describe('the workflows', () => {
  test('are those that CONTRIBUTING.md names', () => {
    expect(files).toEqual(['nightly.yaml', 'pull-request.yaml', 'release.yaml']);
  });

  test('have nothing that actionlint finds', async () => {
    const { exitCode, stdout } = await actionlint(...files.map((file) => path.join(folder, file)));
    expect([exitCode, stdout]).toEqual([0, '']);
  });

  test('are read by an actionlint that finds faults', async () => {
    const broken = path.join(scratchFolder('workflow'), 'release.yaml');
    writeFileSync(
      broken,
      (texts.get('release.yaml') ?? '').replace('needs: [test, package]', 'needs: [tset]'),
    );
    const { exitCode, stdout } = await actionlint(broken);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('"tset"');
  });

  test('use actions by the commit of a release that somebody else uses, and say who', () => {
    for (const [file, text] of texts) {
      const lines = text.split('\n').filter((line) => /\buses:/.test(line));
      expect(lines.length, file).toBeGreaterThan(0);
      for (const line of lines)
        expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+, seen in [\w-]+\/[\w-]+$/);
    }
  });

  test('have no rights but those that a job names, and only the release may write', () => {
    for (const file of files) expect(workflow(file).permissions, file).toEqual({});
    const writers = jobs.filter(({ job }) => Object.values(job.permissions).includes('write'));
    expect(writers.map(({ file, name }) => [file, name])).toEqual([['release.yaml', 'publish']]);
    expect(writers[0]?.job.permissions).toEqual({
      contents: 'write',
      packages: 'write',
      'id-token': 'write',
      attestations: 'write',
    });
    for (const { job } of jobs.filter((one) => !writers.includes(one)))
      expect(job.permissions).toEqual({ contents: 'read' });
  });

  test('leave no credentials in a checkout, and never run what a stranger wrote with rights', () => {
    const steps = jobs.flatMap(({ job }) => job.steps);
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    expect(checkouts).toHaveLength(jobs.length);
    for (const checkout of checkouts) expect(checkout.with).toEqual({ 'persist-credentials': false });
    for (const file of files) expect(Object.keys(workflow(file).on)).not.toContain('pull_request_target');
    // An expression in a script is pasted into it; what a stranger may choose has to come by the environment.
    for (const { run = '' } of steps) expect(run).not.toContain('${{');
  });

  test('publish nothing before every test has passed on what is published', () => {
    expect(workflow('release.yaml').jobs['publish']).toMatchObject({ needs: ['test', 'package'] });
    const runs = (name: string): string =>
      (workflow('release.yaml').jobs[name]?.steps ?? []).map(({ run = '' }) => run).join('\n');
    expect(runs('test')).toContain('hack/test');
    expect(runs('test')).toContain('hack/release/agree.ts');
    expect(runs('publish')).toMatch(
      /npm-state\.ts.*push\.ts.*cosign sign --yes "\$CHART".*cosign attest.*npm publish.*gh release create/s,
    );
  });

  test('ask every night for known vulnerabilities and for the mutants', () => {
    const runs = jobs.filter(({ file }) => file === 'nightly.yaml').flatMap(({ job }) => job.steps);
    const lines = runs.map(({ run }) => run);
    expect(lines).toEqual(
      expect.arrayContaining(['npm audit --audit-level=high', 'npm audit signatures', 'hack/test stryker']),
    );
  });

  test('run hack/test on every Node.js that is supported', () => {
    const { test: job } = workflow('pull-request.yaml').jobs;
    expect(job).toMatchObject({ strategy: { matrix: { node: [20, 22, 24] } } });
    expect(job?.steps.map(({ run }) => run)).toContain('hack/test');
  });
});
