import { describe, expect, test } from 'vitest';
import { FULL, render } from './helm.ts';
import { commands, notes, warnings } from './notes.ts';
import { REPRESENTATIVE } from './representative.ts';

const PACK = { ...FULL, dataPack: 'r.example/p:1' };
const THIN = 'Thin criteria: ';

describe.concurrent('the notes', () => {
  test('say what happens, and how to follow, see, repeat and remove it', async () => {
    const [text, { job }] = await Promise.all([notes(FULL), render(FULL)]);
    const name = job.metadata.name;
    expect(text).toContain(`The Job ${name} in the namespace ns now downloads aicr v1.2.0,\n`);
    expect(commands(text)).toEqual([
      `kubectl wait -n ns pod -l batch.kubernetes.io/job-name=${name} --for=condition=Initialized --timeout=5m`,
      `kubectl logs -n ns job/${name} -c installer -f`,
      'nvidia-aicr-chart status rel -n ns --follow',
      "kubectl get cm aicr-recipe -n ns -o jsonpath='{.data.summary\\.txt}'",
      "kubectl get cm rel-status -n ns -o jsonpath='{.data.summary\\.txt}'",
      "kubectl get cm aicr-upgrade-check -n ns -o jsonpath='{.data.summary\\.txt}'",
      'helm upgrade rel <your chart> -n ns --reuse-values --set-string runId=<n>',
      'kubectl get cm -n ns -l nvidia-aicr/release=rel',
      'kubectl get cm -n kube-system nvidia-aicr-components',
    ]);
    expect(text).toMatch(
      /Uninstalling the release removes the Job and its rights\. The installed stack stays/,
    );
    expect(text).not.toContain('WARNINGS');
  });

  test('name the list of Helm releases where it is', async () => {
    const text = await notes({ ...FULL, lock: { namespace: 'locks' } });
    expect(commands(text)).toContain('kubectl get cm -n locks nvidia-aicr-components');
  });

  test('name the data pack, the version and the ConfigMaps that are really used', async () => {
    const text = await notes({
      ...PACK,
      aicrVersion: '1.3.0',
      recipeConfigMap: 'mine',
      statusConfigMap: 'none',
      upgradeCheck: { configMap: 'moves' },
    });
    expect(text).toContain('aicr v1.3.0,\npulls the data pack r.example/p:1,\n');
    expect(commands(text).filter((line) => line.includes('summary'))).toEqual([
      "kubectl get cm mine -n ns -o jsonpath='{.data.summary\\.txt}'",
      "kubectl get cm moves -n ns -o jsonpath='{.data.summary\\.txt}'",
    ]);
  });

  test.each(REPRESENTATIVE)(
    'name the Job that is made and the ConfigMaps that its run writes: $name',
    async ({ values }) => {
      const [text, { job, runSpec }] = await Promise.all([notes(values), render(values)]);
      const jobs = [...text.matchAll(/ job\/(\S+)|job-name=(\S+)|^The Job (\S+) /gm)];
      expect(jobs.map(([, ...names]) => names.join(''))).toEqual(Array(3).fill(job.metadata.name));
      const { recipe, status, deploy, upgradeCheck, validate } = runSpec;
      const written = [
        recipe.configMap,
        status.configMap,
        ...(deploy.enabled && upgradeCheck.enabled ? [upgradeCheck.configMap] : []),
        ...(validate.enabled ? [validate.configMap] : []),
        ...(validate.enabled && validate.emitEvidence ? [validate.evidenceConfigMap] : []),
      ];
      const named = [...text.matchAll(/kubectl get cm (\S+) -n ns /g)].map(([, name]) => name);
      expect(new Set(named)).toEqual(new Set(written.filter((name) => name !== '')));
    },
  );

  test('say when every upgrade runs', async () => {
    expect(await notes(FULL)).toContain('An upgrade that changes nothing leaves this run alone. ');
    const text = await notes({ ...FULL, job: { rerunOnUpgrade: true } });
    expect(text).toContain(
      '\n\nEvery upgrade runs again (job.rerunOnUpgrade), and stops a run that is still going on:\n\n  helm upgrade rel',
    );
    expect(text).not.toContain('leaves this run alone');
  });

  test('say which verdicts of the upgrade check stop the run', async () => {
    const upgradeCheck = { failOn: ['blocked', 'unknown'], configMap: '' };
    const text = await notes({ ...FULL, upgradeCheck });
    expect(text).toContain('These verdicts stop the run:\nblocked, unknown (upgradeCheck.failOn).\n');
    expect(text).not.toContain('its report is here');
    expect(await notes({ ...FULL, upgradeCheck: { failOn: [] } })).toContain(
      '\nnone (upgradeCheck.failOn). Where something changes',
    );
    expect(await notes({ ...FULL, upgradeCheck: { enabled: false } })).not.toContain('upgrade-check');
  });

  test('leave the results out when none are written', async () => {
    const text = await notes({ ...FULL, recipeConfigMap: '', statusConfigMap: 'none' });
    expect(text).not.toContain('See what was resolved');
  });
});

describe.concurrent('warnings', () => {
  test.each([
    ['nothing open', FULL, []],
    ['an open service', { ...FULL, service: 'any', intent: '' }, ['service, intent']],
    ['an empty service', { ...FULL, service: '', intent: '' }, ['service, intent']],
    ['an open intent', { ...FULL, intent: '' }, ['intent']],
    ['an open os', { ...FULL, os: '' }, ['os']],
    ['all of them', { accelerator: 'h100' }, ['service, intent, os']],
    ['an open platform', { ...FULL, platform: '' }, []],
    ['all of them beside a data pack', { accelerator: 'h100', dataPack: 'r.example/p' }, []],
  ] as const)('tell of thin criteria: %s', async (_name, values, open) => {
    const found = await warnings(values);
    expect(found.map((line) => line.slice(0, line.indexOf(' not stated')))).toEqual(
      open.map((names) => THIN + names),
    );
  });

  test.each([
    ['no criteria', {}, 1],
    ['service any', { service: 'any' }, 1],
    ['accelerator any', { accelerator: 'any' }, 1],
    ['a service', { service: 'acme' }, 0],
    ['an accelerator', { accelerator: 'h200' }, 0],
    ['an intent', { intent: 'training' }, 0],
    ['an os', { os: 'ubuntu' }, 0],
    ['a platform', { platform: 'kueue' }, 0],
  ])('tell of a data pack without criteria: %s', async (_name, criteria, count) => {
    const found = await warnings({ dataPack: 'r.example/p', ...criteria });
    expect(found).toHaveLength(count);
    for (const line of found) expect(line).toContain('"no criteria provided"');
  });

  test('tell of a backoffLimit', async () => {
    expect(await warnings({ ...FULL, job: { backoffLimit: 3 } })).toEqual([
      expect.stringMatching(/^job\.backoffLimit is 3: /),
    ]);
  });

  test('give sizes as they were written, not with an exponent', async () => {
    const job = {
      tmpSizeLimit: 8_589_934_592,
      resources: { limits: { 'ephemeral-storage': 9_000_000_000 } },
    };
    expect(await warnings({ ...FULL, job })).toEqual([
      expect.stringMatching(/ephemeral-storage is 9000000000, less than job\.tmpSizeLimit 8589934592 and/),
    ]);
  });

  test.each([
    ['the default', {}, 0],
    ['just enough', { tmpSizeLimit: '5632Mi' }, 0],
    ['a little too much', { tmpSizeLimit: '5633Mi' }, 1],
    ['a lower limit', { resources: { limits: { 'ephemeral-storage': '2Gi' } } }, 1],
    ['a lower limit in bytes', { resources: { limits: { 'ephemeral-storage': 2_000_000_000 } } }, 1],
    ['decimal units', { tmpSizeLimit: '6G', resources: { limits: { 'ephemeral-storage': '7G' } } }, 0],
    ['a larger unit', { resources: { limits: { 'ephemeral-storage': '1Ti' } } }, 0],
    [
      'a smaller unit',
      { tmpSizeLimit: '1048576Ki', resources: { limits: { 'ephemeral-storage': '1600M' } } },
      1,
    ],
    ['no limit', { resources: { limits: { 'ephemeral-storage': null } } }, 0],
    ['no limits', { resources: { limits: null } }, 0],
    ['a unit that is not for sizes', { tmpSizeLimit: '9e9' }, 0],
  ])('tell of a /tmp that cannot be filled: %s', async (_name, job, count) => {
    expect(await warnings({ ...FULL, job })).toEqual(
      Array(count).fill(expect.stringMatching(/^job\.resources\.limits\.ephemeral-storage is /)),
    );
  });
});
