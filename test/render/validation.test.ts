import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { POD } from '../../src/contract/index.ts';
import { type Any, FULL, render } from './helm.ts';
import { commands, notes, warnings } from './notes.ts';
import { containersOf, ENV, MOUNTS, volumes } from './pod.ts';

const examples = new URL('../../examples/', import.meta.url).pathname;

/** Waits for components, of which validation wants to be sure. */
const WAITING = { ...FULL, deployFlags: '' };
const SIGNED = { mode: 'signed', identityTokenSecret: { name: 'identity', key: 'jwt' } };

const validated = (more: object = {}): Any => ({ ...WAITING, validate: { enabled: true, ...more } });
const published = (publish: object = {}): Any =>
  validated({
    emitEvidence: true,
    publish: { enabled: true, mode: 'unsigned', ref: 'r.example/proof', registrySecret: 'push', ...publish },
  });

/** A Secret mounted whole: whatever its keys are, they are files of the folder. */
const whole = (name: string, secretName: string): Any => ({
  name,
  secret: { secretName, optional: true, defaultMode: 0o440 },
});
const PUSH = whole('publish-auth', 'push');
const PUSH_MOUNT = { name: 'publish-auth', mountPath: POD.publishAuthDir, readOnly: true };
const TOKEN = whole('identity-token', 'identity');
const TOKEN_MOUNT = { name: 'identity-token', mountPath: POD.identityTokenDir, readOnly: true };

describe.concurrent('the Secrets of the evidence', () => {
  test.each([
    ['neither without validation', WAITING, [], []],
    ['neither with validation alone', validated(), [], []],
    ['neither when publishing is off', published({ ...SIGNED, enabled: false }), [], []],
    ['the registry when it is unsigned', published(), [PUSH], [PUSH_MOUNT]],
    [
      'the registry alone when it is unsigned, though a token is named',
      published({ ...SIGNED, mode: 'unsigned' }),
      [PUSH],
      [PUSH_MOUNT],
    ],
    ['both when it is signed', published(SIGNED), [PUSH, TOKEN], [PUSH_MOUNT, TOKEN_MOUNT]],
    [
      'the token alone without a registry',
      published({ ...SIGNED, registrySecret: '' }),
      [TOKEN],
      [TOKEN_MOUNT],
    ],
    ['neither when it is anonymous', published({ registrySecret: '' }), [], []],
  ])('are mounted into the installer: %s', async (_name, values, more, mounts) => {
    const { pod, installer } = await render(values);
    const named = (index: number): string => pod.volumes[index].configMap.name;
    expect(pod.volumes).toEqual([...volumes({ runner: named(0), run: named(1) }), ...more]);
    expect(installer.volumeMounts).toEqual([...MOUNTS, ...mounts]);
    for (const container of pod.initContainers) {
      expect(container.volumeMounts.map((mount: Any) => mount.name)).not.toContain('publish-auth');
      expect(container.volumeMounts.map((mount: Any) => mount.name)).not.toContain('identity-token');
    }
  });

  test('are in no environment', async () => {
    const { pod } = await render(published(SIGNED));
    for (const container of containersOf(pod)) {
      expect(container.env ?? ENV).toEqual(ENV);
      expect(container.envFrom).toBeUndefined();
    }
  });

  test('stand beside that of the data pack', async () => {
    const pack = { dataPack: 'r.example/p', dataPackSecret: 'push' };
    const { pod } = await render({ ...published(), ...pack });
    expect(pod.volumes.slice(-2).map((volume: Any) => [volume.name, volume.secret.secretName])).toEqual([
      ['pack-auth', 'push'],
      ['publish-auth', 'push'],
    ]);
  });

  test.each([
    ['the registry Secret', published({ registrySecret: 'other' })],
    ['the mode', published(SIGNED)],
    ['the phases', { ...published(), validate: { ...published().validate, phases: ['all'] } }],
    ['whether it installs', { ...published(), deploy: { enabled: false } }],
  ])('make another run when it changes: %s', async (_name, values) => {
    const [one, other] = await Promise.all([render(published()), render(values)]);
    expect(other.job.metadata.name).not.toBe(one.job.metadata.name);
  });
});

describe.concurrent('the notes of a validation', () => {
  const READ = "-o jsonpath='{.data.ctrf\\.json}' | jq .results.summary";
  const EVIDENCE = [
    "-o jsonpath='{.binaryData.evidence\\.tgz}' \\",
    '| base64 -d > evidence.tgz && mkdir -p evidence && tar xzf evidence.tgz -C evidence',
    'aicr evidence verify ./evidence',
  ];
  const readers = (text: string): readonly string[] =>
    commands(text).filter((line) => /aicr-(validate|evidence)|ctrf|evidence/.test(line));

  test('say nothing of it by default', async () => {
    const text = await notes(FULL);
    expect(readers(text)).toEqual([]);
    expect(text).not.toContain('alidat');
    expect(text).toContain('\nresolves the recipe and installs the stack. This takes minutes;');
  });

  test('tell how to read the verdict, and what it wants', async () => {
    const text = await notes(validated());
    expect(readers(text)).toEqual([
      `kubectl get cm aicr-validate-result -n ns ${READ}`,
      "kubectl get cm aicr-validate-result -n ns -o jsonpath='{.data.summary\\.txt}'",
    ]);
    expect(text).toContain('\nresolves the recipe, installs the stack and validates it. This takes minutes;');
    expect(text).toContain('Validation is not for clusters without GPUs');
    expect(text).toContain('It prefers --retries 1');
  });

  test('tell how to read the evidence back', async () => {
    const text = await notes(validated({ emitEvidence: true }));
    expect(readers(text).slice(2)).toEqual([
      `kubectl get cm aicr-evidence-bundle -n ns ${EVIDENCE[0]}`,
      ...EVIDENCE.slice(1),
    ]);
  });

  test('have the names that are really used', async () => {
    const text = await notes(
      validated({ emitEvidence: true, resultConfigMap: 'verdict', evidenceConfigMap: 'proof' }),
      { namespace: 'gpu' },
    );
    expect(text).toContain(`kubectl get cm verdict -n gpu ${READ}`);
    expect(text).toContain(`kubectl get cm proof -n gpu ${EVIDENCE[0]}`);
    expect(text).not.toMatch(/aicr-(validate-result|evidence-bundle)/);
  });

  test('say that nothing is installed', async () => {
    const text = await notes({ ...validated(), deploy: { enabled: false } });
    expect(text).toContain(
      '\nresolves the recipe and validates the cluster against it; it installs nothing. This',
    );
    expect(text).not.toContain('--retries');
  });
});

describe.concurrent('the examples of the postures', () => {
  test.each([
    ['day1-install', true, ['deployment']],
    ['qualify-hardware', false, ['performance']],
    ['drift-check', false, ['deployment']],
    ['full-acceptance', true, ['deployment', 'performance']],
  ])('%s installs: %s, and validates %j', async (name, installs, phases) => {
    const { runSpec } = await render(await readFile(`${examples}${name}.yaml`, 'utf8'));
    expect(runSpec.deploy.enabled).toBe(installs);
    expect(runSpec.validate).toMatchObject({ enabled: true, phases, failOnError: true });
    expect(runSpec.warnings).toEqual([]);
  });
});

describe.concurrent('the warnings of a validation', () => {
  const NO_WAIT = /^Validation is on, but --no-wait is in deploy(Flags|Args): /;
  const ANONYMOUS = /^validate\.publish\.registrySecret is empty: /;
  const IDENTITY = /^Evidence is signed in the cluster: the identity token of Secret identity /;

  test.each([
    ['the flags by default', { ...FULL, validate: { enabled: true } }, [NO_WAIT]],
    ['the flags', { ...validated(), deployFlags: '--retries 1 \n--no-wait' }, [NO_WAIT]],
    ['the arguments', { ...validated(), deployArgs: ['--no-wait'] }, [NO_WAIT]],
    ['neither', { ...validated(), deployFlags: '--best-effort', deployArgs: ['--no-waiting'] }, []],
    [
      'both, when nothing is deployed',
      { ...FULL, validate: { enabled: true }, deploy: { enabled: false } },
      [],
    ],
    ['both, without validation', FULL, []],
  ])('tell of --no-wait in %s', async (_name, values, found) => {
    expect(await warnings(values)).toEqual(found.map((line) => expect.stringMatching(line)));
  });

  test.each([
    ['unsigned, with a Secret', published(), []],
    ['unsigned, without a Secret', published({ registrySecret: '' }), [ANONYMOUS]],
    ['signed, with a Secret', published(SIGNED), [IDENTITY]],
    ['signed, without a Secret', published({ ...SIGNED, registrySecret: '' }), [ANONYMOUS, IDENTITY]],
    ['that is off', published({ ...SIGNED, registrySecret: '', enabled: false }), []],
  ])('tell of a publication %s', async (_name, values, found) => {
    expect(await warnings(values)).toEqual(found.map((line) => expect.stringMatching(line)));
  });

  test('name the role that the token stands beside', async () => {
    expect((await warnings(published(SIGNED))).join()).toContain('the rights of cluster-admin');
    const other = { ...published(SIGNED), rbac: { clusterRole: 'installer' } };
    expect((await warnings(other)).join()).toContain('the rights of installer');
  });
});
