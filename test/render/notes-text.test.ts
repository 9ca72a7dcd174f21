import { cpSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { chart, scratchFolder } from './chart.ts';
import { FULL, render } from './helm.ts';
import { notes } from './notes.ts';

const jobName = async (values: object): Promise<string> => (await render(values)).job.metadata.name;

const UPGRADE = 'helm upgrade rel <your chart> -n ns --reuse-values --set-string runId=<n>';
const FOLLOW = (job: string): string => `
Its pod starts within a minute. Follow it:

  kubectl wait -n ns pod -l batch.kubernetes.io/job-name=${job} --for=condition=Initialized --timeout=5m
  kubectl logs -n ns job/${job} -c installer -f

Where the command of this chart is installed, it says all there is to know, also why nothing starts:

  nvidia-aicr-chart status rel -n ns --follow
`;
const SEEN = `
See what was resolved, and how the run went:

  kubectl get cm aicr-recipe -n ns -o jsonpath='{.data.summary\\.txt}'
  kubectl get cm rel-status -n ns -o jsonpath='{.data.summary\\.txt}'
`;
const REMOVED = `
Uninstalling the release removes the Job and its rights. The installed stack stays, and so do the ConfigMaps that
the runs wrote:

  kubectl get cm -n ns -l nvidia-aicr/release=rel
`;
/** Only what was installed is on the list. */
const LISTED = '  kubectl get cm -n kube-system nvidia-aicr-components\n';
const CHECKED = `
Before anything is touched, aicr upgrade-check judges the move from what is there. These verdicts stop the run:
blocked (upgradeCheck.failOn). Where something changes, its report is here:

  kubectl get cm aicr-upgrade-check -n ns -o jsonpath='{.data.summary\\.txt}'
`;
const PROVEN = `
Read the verdict once the validation has ended, whatever it is:

  kubectl get cm aicr-validate-result -n ns -o jsonpath='{.data.ctrf\\.json}' | jq .results.summary
  kubectl get cm aicr-validate-result -n ns -o jsonpath='{.data.summary\\.txt}'

Read the evidence back, and have aicr check it:

  kubectl get cm aicr-evidence-bundle -n ns -o jsonpath='{.binaryData.evidence\\.tgz}' \\
    | base64 -d > evidence.tgz && mkdir -p evidence && tar xzf evidence.tgz -C evidence
  aicr evidence verify ./evidence
`;

describe.concurrent('the notes read as a whole', () => {
  test('after an install', async () => {
    const job = await jobName(FULL);
    expect(await notes(FULL)).toBe(
      `The Job ${job} in the namespace ns now downloads aicr v1.2.0,
resolves the recipe and installs the stack. This takes minutes; Helm does not wait for it unless you said --wait.
${FOLLOW(job)}${SEEN}${CHECKED}
An upgrade that changes nothing leaves this run alone. To run the same again, give another runId; under Flux or
Argo CD, in the values there:

  ${UPGRADE}
${REMOVED}${LISTED}`,
    );
  });

  test('after an install that validates, with warnings', async () => {
    const values = {
      ...FULL,
      os: '',
      validate: { enabled: true, emitEvidence: true },
      job: { rerunOnUpgrade: true, backoffLimit: 1 },
    };
    const { job, runSpec } = await render(values);
    const name = job.metadata.name;
    expect(runSpec.warnings).toHaveLength(3);
    expect(await notes(values)).toBe(
      `The Job ${name} in the namespace ns now downloads aicr v1.2.0,
resolves the recipe, installs the stack and validates it. This takes minutes; Helm does not wait for it unless you said --wait.
${FOLLOW(name)}${SEEN}${CHECKED}${PROVEN}
Validation is not for clusters without GPUs: pods that wait for one fail their checks. It prefers --retries 1 in
deployArgs, so that one slow component does not eat the time it needs.

Every upgrade runs again (job.rerunOnUpgrade), and stops a run that is still going on:

  ${UPGRADE}
${REMOVED}${LISTED}
WARNINGS
${runSpec.warnings.map((warning) => `\n* ${warning}\n`).join('')}`,
    );
  });

  test('after a validation alone, of a pack, without ConfigMaps to look at', async () => {
    const values = {
      ...FULL,
      dataPack: 'r.example/p:1',
      deploy: { enabled: false },
      deployFlags: '',
      recipeConfigMap: '',
      statusConfigMap: 'none',
      validate: { enabled: true },
    };
    const job = await jobName(values);
    const [proven = ''] = PROVEN.split('\nRead the evidence');
    expect(await notes(values)).toBe(
      `The Job ${job} in the namespace ns now downloads aicr v1.2.0,
pulls the data pack r.example/p:1,
resolves the recipe and validates the cluster against it; it installs nothing. This takes minutes; Helm does not wait for it unless you said --wait.
${FOLLOW(job)}${proven}
Validation is not for clusters without GPUs: pods that wait for one fail their checks.

An upgrade that changes nothing leaves this run alone. To run the same again, give another runId; under Flux or
Argo CD, in the values there:

  ${UPGRADE}
${REMOVED}`,
    );
  });
});

interface Dependency {
  readonly name: string;
  readonly version: string;
  readonly alias?: string;
}

/** A chart with another one in it. @returns its folder */
const around = (name: string, inner: string, dependency: Dependency): string => {
  const folder = path.join(scratchFolder('notes'), name);
  cpSync(inner, path.join(folder, 'charts', dependency.name), { recursive: true });
  const metadata = { apiVersion: 'v2', name, version: '1.0.0', dependencies: [dependency] };
  writeFileSync(path.join(folder, 'Chart.yaml'), JSON.stringify(metadata));
  return folder;
};

describe.concurrent('the notes of a sub-chart name its values', () => {
  const ours = { name: 'nvidia-aicr', version: '0.3.0' };
  const shown = (values: object, umbrella: string): Promise<string> =>
    notes(values, { chart: umbrella, args: ['--render-subchart-notes'] });

  test.each([
    ['its name', ours, 'nvidia-aicr'],
    ['its alias', { ...ours, alias: 'gpu' }, 'gpu'],
  ])('by %s', async (_name, dependency, name) => {
    const text = await shown({ [name]: FULL }, around('umbrella', chart, dependency));
    expect(text).toContain(`--reuse-values --set-string ${name}.runId=<n>\n`);
  });

  test('by every chart around it', async () => {
    const stack = around('stack', chart, { ...ours, alias: 'gpu' });
    const platform = around('platform', stack, { name: 'stack', version: '1.0.0', alias: 'base' });
    const text = await shown({ base: { gpu: FULL } }, platform);
    expect(text).toContain('--reuse-values --set-string base.gpu.runId=<n>\n');
  });
});
