import { describe, expect, test } from 'vitest';
import { type Any, refuse, render } from './helm.ts';

/** Every key of the table in the peer chart's README, version 0.3.0, with the defaults that it states. */
const DEFAULTS = `
accelerator: h100
intent: ""
os: ""
platform: ""
service: any
dataPack: ""
dataPackSecret: ""
dataPackAuth: {dockerconfigjson: ""}
dataPackPlainHTTP: false
dataPackInsecureTLS: false
orasImage: ghcr.io/oras-project/oras:v1.2.0@sha256:0087224dd0decc354b5b0689068fbbc40cd5dc3dbf65fcb3868dfbd363dc790b
recipeConfigMap: aicr-recipe
aicrVersion: v1.2.0
aicrArch: amd64
aicrSha256: {amd64: ${'a'.repeat(64)}, arm64: ${'b'.repeat(64)}}
validate:
  enabled: false
  phases: [deployment]
  failOnError: false
  resultConfigMap: aicr-validate-result
  emitEvidence: false
  evidenceConfigMap: aicr-evidence-bundle
  publish:
    enabled: false
    mode: signed
    ref: ""
    identityTokenSecret: {name: "", key: token}
    registrySecret: ""
    failOnError: false
    insecureTLS: false
    plainHTTP: false
storageClass: ""
recipeArgs: []
recipeFlags: ""
bundleArgs: []
bundleFlags: ""
validateArgs: []
validateFlags: ""
environment: {preinstalledDriver: false}
deploy: {enabled: true}
deployArgs: []
deployFlags: --best-effort --no-wait
runtimeImage: alpine/k8s:1.34.0@sha256:b5f6edfeac5279f3e182d938d1ffecb62f7c980756ac4b6b66d7f0d566782f77
job:
  tolerations: []
  nodeSelector: {}
  affinity: {}
  priorityClassName: ""
`;

/** What the README gives for k0rdent, with a pack, arguments, validation and publication. */
const FLEET = `
dataPack: "ghcr.io/acme/acme-aicr-pack:1.0.0"
dataPackSecret: "aicr-pack-pull"
service: acme
accelerator: h200
intent: training
bundleArgs:
  - --accelerated-node-toleration
  - nvidia.com/gpu=present:NoSchedule
deployFlags: ""                 # replace the legacy default with list-only args
deployArgs: [--retries, "1"]   # strict: wait and gate on the verdict
validate:
  enabled: true
  phases: [deployment]
  failOnError: true
  emitEvidence: true
  publish: {enabled: true, mode: unsigned, ref: ghcr.io/acme/aicr-evidence, registrySecret: aicr-pack-pull}
`;

/** A cluster of chart 0.2.0, after the steps that its upgrade notes ask for. */
const CONVERTED = `
accelerator: h100
service: k0s
environment: {preinstalledDriver: true, k0sContainerd: false}
job: {backoffLimit: 1, ttlSecondsAfterFinished: 86400, activeDeadlineSeconds: 10800}
`;

describe.concurrent("a values file of the peer's chart", () => {
  test('0.3.0 with every key at its default is the same as saying nothing, but for what it pins', async () => {
    const [peer, ours] = await Promise.all([render(DEFAULTS), render({ accelerator: 'h100' })]);
    const { aicr, ...rest } = peer.runSpec;
    const { aicr: ourAicr, ...ourRest } = ours.runSpec;
    expect(rest).toEqual(ourRest);
    const sha256 = { amd64: 'a'.repeat(64), arm64: 'b'.repeat(64) };
    expect(aicr).toEqual({ ...ourAicr, arch: 'amd64', sha256 });
    const withoutRun = ({ pod }: { pod: Any }): Any => ({
      ...pod,
      volumes: pod.volumes.filter(({ name }: Any) => name !== 'run-spec'),
    });
    expect(withoutRun(peer)).toEqual(withoutRun(ours));
  });

  test('0.3.0 for a fleet means the same here', async () => {
    const { runSpec, pod } = await render(FLEET);
    expect(runSpec.criteria).toMatchObject({ service: 'acme', accelerator: 'h200', intent: 'training' });
    expect(runSpec.pack).toMatchObject({
      ref: 'ghcr.io/acme/acme-aicr-pack:1.0.0',
      secret: 'aicr-pack-pull',
    });
    expect(runSpec.bundle.args).toEqual([
      '--accelerated-node-toleration',
      'nvidia.com/gpu=present:NoSchedule',
    ]);
    expect(runSpec.deploy).toMatchObject({ enabled: true, flags: '', args: ['--retries', '1'] });
    expect(runSpec.validate).toMatchObject({
      ...{ enabled: true, phases: ['deployment'], failOnError: true, emitEvidence: true },
      publish: { enabled: true, mode: 'unsigned', registrySecret: 'aicr-pack-pull' },
    });
    expect(pod.initContainers.map(({ name }: Any) => name)).toEqual(['node', 'oras']);
    expect(runSpec.warnings).toEqual([]);
  });

  test('0.2.0 renders once it is converted as the notes say', async () => {
    const { job, runSpec } = await render(CONVERTED);
    expect(runSpec.criteria.service).toBe('k0s');
    expect(runSpec.bundle.preinstalledDriver).toBe(true);
    expect(job.spec).toMatchObject({
      backoffLimit: 1,
      ttlSecondsAfterFinished: 86_400,
      activeDeadlineSeconds: 10_800,
    });
  });

  // What aicr says to these, it says in the Job; the notes of 0.3.0 tell to write `any`.
  test.each(['self-managed', 'self', 'vanilla'])(
    '0.2.0 with service %s is passed on as it is',
    async (service) => {
      expect((await render({ accelerator: 'h100', service })).runSpec.criteria.service).toBe(service);
    },
  );

  test.each(['true', '"true"', '"false"', '{}', '0', '""'])(
    '0.2.0 with k0sContainerd: %s is told what to write in its place',
    async (value) => {
      const said = await refuse(
        `accelerator: h100\nservice: self-managed\nenvironment: {k0sContainerd: ${value}}\n`,
      );
      expect(said).toContain('environment.k0sContainerd was removed in chart 0.3.0');
      expect(said).toContain('use service: k0s');
      expect(said.split('\n')).toHaveLength(1);
    },
  );

  test.each(['false', 'null', '~', ''])('0.2.0 with k0sContainerd: %s asks for nothing', async (value) => {
    const plain = await render({ accelerator: 'h100' });
    const { objects } = await render(`accelerator: h100\nenvironment:\n  k0sContainerd: ${value}\n`);
    expect(objects).toEqual(plain.objects);
  });

  test('with one hash for all CPU kinds is told to give one for each', async () => {
    expect(await refuse({ accelerator: 'h100', aicrSha256: 'a'.repeat(64) })).toMatch(
      /^aicrSha256: is a text, but each CPU kind has its own archive; write \{amd64: <sha256>, arm64: <sha256>\}$/,
    );
  });
});
