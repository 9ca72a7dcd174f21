import { describe, expect, test } from 'vitest';
import { type Any, FULL, render } from './helm.ts';
import { containersOf, ENV, MOUNTS, NODE, podOf, RESOURCES } from './pod.ts';

describe.concurrent('the containers', () => {
  test('gives its resources to every container', async () => {
    const resources = {
      requests: { cpu: 1, memory: '256Mi', 'ephemeral-storage': '1Gi', 'example.com/thing': 0.5 },
      limits: { cpu: '2', memory: '512Mi', 'ephemeral-storage': '2Gi' },
    };
    const { pod } = await render({ ...FULL, dataPack: 'r.example/p', job: { resources } });
    const texts = { ...resources.requests, cpu: '1', 'example.com/thing': '0.5' };
    for (const container of containersOf(pod))
      expect(container.resources).toEqual({ ...resources, requests: texts });
  });

  test('leaves a limit out that is null', async () => {
    const pod = await podOf({ resources: { limits: { cpu: null } } });
    const { cpu: _, ...limits } = RESOURCES.limits;
    expect(pod.containers[0].resources).toEqual({ ...RESOURCES, limits });
  });

  test.each([
    ['null', null],
    ['empty', ''],
  ])('lets the platform pick the user when the ids are %s', async (_name, nothing) => {
    const pod = await podOf({
      podSecurityContext: { runAsUser: nothing, runAsGroup: nothing, fsGroup: nothing },
      securityContext: { readOnlyRootFilesystem: nothing, capabilities: { drop: nothing } },
    });
    expect(pod.securityContext).toEqual({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    for (const container of containersOf(pod)) {
      expect(container.securityContext).toEqual({ allowPrivilegeEscalation: false });
    }
  });

  test('keeps false and 0 in the security contexts', async () => {
    const pod = await podOf({
      podSecurityContext: { runAsNonRoot: false, runAsUser: 0 },
      securityContext: { privileged: false },
    });
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: false, runAsUser: 0, fsGroup: 65532 });
    expect(pod.containers[0].securityContext.privileged).toBe(false);
  });

  test.each([
    ['a quantity', '64Mi', '64Mi'],
    ['a number, as a text', 5_000_000_000, '5000000000'],
  ])('limits /tmp as it is told: %s', async (_name, tmpSizeLimit, sizeLimit) => {
    const pod = await podOf({ tmpSizeLimit });
    expect(pod.volumes).toContainEqual({ name: 'tmp', emptyDir: { sizeLimit } });
  });

  test('has more volumes for the installer', async () => {
    const volume = { name: 'overrides', configMap: { name: 'aicr-overrides' } };
    const mount = { name: 'overrides', mountPath: '/overrides', readOnly: true };
    const pod = await podOf({ extraVolumes: [volume], extraVolumeMounts: [mount] });
    expect(pod.volumes.at(-1)).toEqual(volume);
    expect(pod.containers[0].volumeMounts).toEqual([...MOUNTS, mount]);
    expect(pod.initContainers).toEqual([NODE]);
  });

  test('has more environment for the installer, behind its own', async () => {
    const secret = { secretKeyRef: { name: 's', key: '$(k)' } };
    const pod = await podOf({
      extraEnv: [
        { name: 'FEATURE_X', value: true },
        { name: 'LIMIT', value: 8_388_608 },
        { name: 'RATIO', value: 0.5 },
        { name: 'OFF', value: false },
        { name: 'ZERO', value: 0 },
        { name: 'MODE', value: '0600' },
        { name: 'NOTHING' },
        { name: 'SECRET', valueFrom: secret },
      ],
      extraEnvFrom: [{ secretRef: { name: 'aicr-env' } }],
    });
    expect(pod.containers[0].env).toEqual([
      ...ENV,
      { name: 'FEATURE_X', value: 'true' },
      { name: 'LIMIT', value: '8388608' },
      { name: 'RATIO', value: '0.5' },
      { name: 'OFF', value: 'false' },
      { name: 'ZERO', value: '0' },
      { name: 'MODE', value: '0600' },
      { name: 'NOTHING', value: '' },
      { name: 'SECRET', valueFrom: secret },
    ]);
    expect(pod.containers[0].envFrom).toEqual([{ secretRef: { name: 'aicr-env' } }]);
    expect(pod.initContainers).toEqual([NODE]);
  });

  test('hands environment texts over as they were written', async () => {
    const alphabet = ['$', '(', ')', 'A', ' '];
    // Every text of up to four of these characters, and some longer ones.
    let texts: string[] = [''];
    for (let length = 0; length < 4; length += 1) {
      texts = [...new Set([...texts, ...texts.flatMap((text) => alphabet.map((letter) => text + letter))])];
    }
    texts.push('$$$$(A)$$$', 'a\nb: "c" \\ {{ x }}', 'US$5 and $(A)');
    const pod = await podOf({ extraEnv: texts.map((value, n) => ({ name: `T${n}`, value })) });
    const values: string[] = pod.containers[0].env.slice(ENV.length).map((one: Any) => one.value);
    expect(values.map(expanded)).toEqual(texts);
    expect(values.at(-1)).toContain('$$(A)');
  });
});

/**
 * What Kubernetes makes of an environment variable's value, where A is a variable: `$$` is a dollar, `$(A)` its
 * value, any other dollar itself.
 */
const expanded = (value: string): string =>
  value.replaceAll(/\$(\$|\(A\))/g, (_, what: string) => (what === '$' ? '$' : 'EXPANDED'));
