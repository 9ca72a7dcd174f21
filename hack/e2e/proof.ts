import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { dockerConfig, type Registry } from '../cluster/index.ts';
import { type Checks, releaseBinary } from '../standin/index.ts';
import type { Scenario } from './scenario.ts';

/** Where the verdict and the evidence are by default. */
export const VERDICT = 'aicr-validate-result';
export const EVIDENCE = 'aicr-evidence-bundle';

export const ALL_WELL: Checks = {
  'operator-health': { ends: 'passed' },
  'expected-resources': { ends: 'passed' },
  'gpu-operator-version': { ends: 'passed' },
  'check-nvidia-smi': { ends: 'passed' },
};

/** One check fails and one comes to no conclusion. */
export const NOT_WELL: Checks = {
  ...ALL_WELL,
  'expected-resources': { ends: 'failed' },
  'check-nvidia-smi': { ends: 'other' },
};

/** Values of a run that validates, installs nothing, and publishes as told. */
export const publishing = (values: object, publish: object): object => ({
  ...values,
  deploy: { enabled: false },
  validate: { enabled: true, emitEvidence: true, publish: { enabled: true, mode: 'unsigned', ...publish } },
});

/**
 * A shell command as a page of the documentation has it, for a namespace.
 * @param page in docs/
 * @param part of the command, to tell it from the others
 */
export async function documented(page: string, part: string, namespace: string): Promise<string> {
  const text = await readFile(new URL(`../../docs/${page}`, import.meta.url), 'utf8');
  const blocks = [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].filter(([, language]) => language === '');
  const commands = blocks.flatMap(([, , block = '']) => block.split(/(?<!\\)\n/));
  const found = commands.filter((command) => command.includes(part));
  if (found.length !== 1) throw new Error(`docs/${page} has ${found.length} commands with ${part}`);
  return (found[0] ?? '').replaceAll('<ns>', namespace);
}

/** A reader's shell: a folder of its own, the cluster's tools and the aicr that the run used. */
export class Reader {
  readonly #scenario: Scenario;
  readonly folder: string;

  private constructor(scenario: Scenario, folder: string) {
    this.#scenario = scenario;
    this.folder = folder;
  }

  /** Works in a folder that goes with the reader. */
  static async use(scenario: Scenario, read: (reader: Reader) => Promise<void>): Promise<void> {
    const folder = await mkdtemp(join(scenario.cluster.folder, 'reader-'));
    try {
      await releaseBinary(scenario.aicr, join(folder, 'bin'));
      await mkdir(join(folder, 'work'));
      await read(new Reader(scenario, join(folder, 'work')));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Types in a command; every part of it must succeed. @returns what it printed */
  async shell(command: string): Promise<string> {
    const { cluster } = this.#scenario;
    const PATH = [join(this.folder, '../bin'), join(cluster.folder, 'bin'), process.env['PATH']].join(':');
    const argv = ['bash', '-eo', 'pipefail', '-c', command];
    return (await cluster.run(argv, { cwd: this.folder, env: { PATH } })).stdout;
  }

  /** Types in a command of the documentation. */
  async follow(page: string, part: string): Promise<string> {
    return await this.shell(await documented(page, part, this.#scenario.namespace.name));
  }

  /** Runs oras against a registry, with its login. */
  async oras(registry: Registry, command: string, ...args: string[]): Promise<string> {
    const login = join(this.folder, 'login.json');
    await writeFile(login, dockerConfig(registry));
    const transport = registry.plain ? '--plain-http' : '--insecure';
    return await this.shell(['oras', command, transport, '--registry-config', login, ...args].join(' '));
  }
}

/** Keys of a ConfigMap, text and binary. */
export async function keysOf({ namespace }: Scenario, configMap: string): Promise<readonly string[]> {
  const { data = {}, binaryData = {} } = (await namespace.configMap(configMap)) ?? {};
  return [...Object.keys(data), ...Object.keys(binaryData)].sort();
}

/** Expects verdict and evidence, as they are kept before anything is published. */
export async function expectKept(scenario: Scenario): Promise<void> {
  expect(await keysOf(scenario, VERDICT)).toEqual(['ctrf.json', 'summary.txt']);
  expect(await keysOf(scenario, EVIDENCE)).toEqual(['evidence.tgz']);
}
