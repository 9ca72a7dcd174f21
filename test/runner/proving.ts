import { copyFileSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, inject } from 'vitest';
import { stringify } from 'yaml';
import { dockerConfig } from '../../hack/cluster/index.ts';
import { pushPack } from '../../hack/standin/index.ts';
import type { RunSpec } from '../../src/contract/index.ts';
import { COLD_BUILD, openProgram, type Program } from '../standin/program.ts';
import { toolbox } from '../standin/toolbox.ts';
import { temporaryFolder } from '../steps/context.ts';
import { orasPath, type Registries, startRegistries } from '../steps/registries.ts';
import type { StartedRun } from './process.ts';
import type { World } from './run.ts';

/** Name of the snapshot, where a run is given one. */
export const SNAPSHOT_FILE = 'snapshot.yaml';

/** How a check of a data pack ends, and what it says. */
export type CheckResult = 'passed' | 'failed' | 'skipped' | 'other';
export type Checks = Readonly<Record<string, CheckResult>>;

/** A Secret's files, as the kubelet mounts them. */
export interface Mounted {
  /** Files of the Secret that may push the evidence. */
  readonly publish?: Readonly<Record<string, string>>;
  readonly identityToken?: Readonly<Record<string, string>>;
}

/** How a proving run differs from one that only validates. */
export interface Proving extends Mounted {
  readonly checks?: Checks;
  /** Changes the pack's overlay. */
  readonly overlay?: (text: string) => string;
  /** A file of the folder in which aicr validates. */
  readonly snapshot?: string;
  readonly deploys?: boolean;
  readonly validate?: Partial<RunSpec['validate']>;
  readonly publishing?: Partial<RunSpec['validate']['publish']>;
  readonly env?: Readonly<Record<string, string>>;
}

/** The checks of the phase, as the catalogue has them. */
export const ALL_WELL: Checks = {
  'operator-health': 'passed',
  'expected-resources': 'passed',
  'gpu-operator-version': 'passed',
  'check-nvidia-smi': 'passed',
};

/** What runs that prove something need: an aicr, kubectl and helm that work, registries, and a data pack with checks. */
export class Prover {
  aicr!: Program;
  registries!: Registries;
  #path = '';
  #packs = 0;

  /** Must be called while vitest collects a file. */
  constructor() {
    beforeAll(async () => {
      [this.aicr, this.registries] = await Promise.all([openProgram(), startRegistries()]);
      this.#path = await toolbox(this.aicr.dir, 4);
    }, COLD_BUILD);
    afterAll(async () => {
      this.registries.stop();
      await this.aicr.remove();
    });
  }

  /** The Secret that may push to the registry with a login. */
  login(): Readonly<Record<string, string>> {
    return { '.dockerconfigjson': dockerConfig(this.registries.guarded) };
  }

  /** Starts a run that validates, against a pack whose checks end as told. */
  async start(world: World, proving: Proving = {}): Promise<StartedRun> {
    const { deploys = false, publish = {}, identityToken = {}, snapshot } = proving;
    const ref = await this.#pushPack(proving);
    return await world.start({
      release: this.aicr.release,
      env: { PATH: this.#path, ...proving.env },
      mount: (root) => {
        symlinkSync(orasPath(), join(mkdir(root, 'runner'), 'oras'));
        write(mkdir(root, 'secrets/publish'), publish);
        write(mkdir(root, 'secrets/identity-token'), identityToken);
        if (snapshot !== undefined) writeFileSync(join(root, 'tmp', SNAPSHOT_FILE), snapshot);
        // Where kubectl and helm look when nothing tells them and they are in no pod.
        copyFileSync(inject('apiServer').kubeconfig, join(mkdir(root, 'tmp/.kube'), 'config'));
      },
      spec: (spec) => ({
        ...spec,
        criteria: { service: 'acme', accelerator: 'h200', intent: 'training', os: '', platform: '' },
        pack: { ...spec.pack, ref, plainHTTP: true },
        // The worlds of a suite share one API server, and with it the components; each has a list of its own.
        deploy: { ...spec.deploy, enabled: deploys, args: ['--retries', '0'], existingReleases: 'adopt' },
        validate: {
          ...spec.validate,
          enabled: true,
          ...proving.validate,
          publish: { ...spec.validate.publish, mode: 'unsigned', plainHTTP: true, ...proving.publishing },
        },
      }),
    });
  }

  async #pushPack({ checks = ALL_WELL, overlay }: Proving): Promise<string> {
    this.#packs += 1;
    const name = `pack-${this.#packs}`;
    const folder = join(this.aicr.dir, name);
    cpSync(await this.aicr.pack('acme'), folder, { recursive: true });
    const validators = Object.entries(checks).map(([check, result]) => ({
      name: check,
      phase: 'deployment',
      image: 'registry.example/check:1',
      args: [result, `${check} says that it ${result}`],
      // For a real aicr, where nobody runs its Jobs: it gives up half a minute after that.
      timeout: '5s',
    }));
    const catalog = { apiVersion: 'validator.nvidia.com/v1alpha1', kind: 'ValidatorCatalog', validators };
    writeFileSync(join(mkdir(folder, 'validators'), 'catalog.yaml'), stringify(catalog));
    if (overlay !== undefined) {
      const file = join(folder, 'overlays', 'acme-h200-training.yaml');
      writeFileSync(file, overlay(readFileSync(file, 'utf8')));
    }
    const ref = `${this.registries.open.host}/acme/${name}:1`;
    await pushPack({ ref, folder, oras: orasPath(), plainHTTP: true });
    return ref;
  }
}

function mkdir(root: string, path: string): string {
  const folder = join(root, path);
  mkdirSync(folder, { recursive: true });
  return folder;
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

/** The bytes of evidence.tgz. */
export async function evidenceOf(world: World): Promise<Buffer> {
  const found = await world.configMap('aicr-evidence-bundle');
  const { 'evidence.tgz': archive = '' } = (found?.object['binaryData'] ?? {}) as Record<string, string>;
  return Buffer.from(archive, 'base64');
}

/** Unpacks the evidence as the documentation says. @returns the folder */
export async function unpackEvidence(world: World): Promise<string> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'evidence.tgz'), await evidenceOf(world));
  mkdirSync(join(folder, 'evidence'));
  await execa('tar', ['xzf', 'evidence.tgz', '-C', 'evidence'], { cwd: folder });
  return join(folder, 'evidence');
}
