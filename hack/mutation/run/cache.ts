import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { Mutant, SourceFile } from '../catalogue/index.ts';
import { applyMutant } from '../catalogue/index.ts';
import type { Verdict } from '../worker/protocol.ts';

/** States of chart and suite whose verdicts are kept. */
const KEPT = 5;

/** File of who killed what. */
const KILLERS = 'killers.json';

/** Verdicts of earlier runs, each valid for one state of the chart, the suite and the tools. */
export class VerdictCache {
  readonly #folder: string;
  readonly #file: string;
  readonly #verdicts: Map<string, Verdict>;
  readonly #texts: ReadonlyMap<string, string>;

  /**
   * @param folder of the cache
   * @param files the chart without a fault
   * @param state a digest of everything else that a verdict depends on
   */
  constructor(folder: string, files: readonly SourceFile[], state: string) {
    this.#folder = folder;
    this.#texts = new Map(files.map(({ path: name, text }) => [name, text]));
    this.#file = path.join(
      folder,
      `${digest([state, ...files.flatMap(({ path: name, text }) => [name, text])])}.json`,
    );
    this.#verdicts = new Map(existsSync(this.#file) ? readJson<[string, Verdict][]>(this.#file) : []);
  }

  get(mutant: Mutant): Verdict | undefined {
    const known = this.#verdicts.get(this.#key(mutant));
    return known === undefined ? undefined : { ...known, id: mutant.id };
  }

  set(mutant: Mutant, verdict: Verdict): void {
    this.#verdicts.set(this.#key(mutant), verdict);
  }

  /** Tests that killed mutants before, by id, whatever has changed since: likely killers. */
  hints(): ReadonlyMap<string, string> {
    const file = path.join(this.#folder, KILLERS);
    return new Map(existsSync(file) ? readJson<[string, string][]>(file) : []);
  }

  /** Writes everything down; what is old goes. */
  save(): void {
    mkdirSync(this.#folder, { recursive: true });
    const killers = [...this.#verdicts.values()].flatMap(({ id, killer }) =>
      killer === '' ? [] : [[id, killer]],
    );
    writeJson(path.join(this.#folder, KILLERS), [
      ...new Map([...this.hints(), ...(killers as [string, string][])]),
    ]);
    writeJson(this.#file, [...this.#verdicts]);
    removeOld(this.#folder, KEPT);
  }

  #key(mutant: Mutant): string {
    return digest([mutant.file, applyMutant(mutant, this.#texts.get(mutant.file) ?? '')]);
  }
}

/**
 * A digest of files.
 * @param root of the checkout
 * @param sources files and folders below it
 * @param without a file in one of these that is left out
 */
export const digestFiles = (root: string, sources: readonly string[], without: string): string => {
  const files = sources.flatMap((source) => {
    const absolute = path.join(root, source);
    if (!statSync(absolute).isDirectory()) return [source];
    return readdirSync(absolute, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
      .sort();
  });
  const read = files.filter((file) => file !== without);
  return digest(read.flatMap((file) => [file, readFileSync(path.join(root, file), 'latin1')]));
};

const digest = (parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 24);

const readJson = <Content>(file: string): Content => JSON.parse(readFileSync(file, 'utf8')) as Content;

/** Removes all but the newest of a folder's states, which are files of JSON. */
export const removeOld = (folder: string, kept: number): void => {
  const states = readdirSync(folder)
    .filter((name) => name !== KILLERS && name.endsWith('.json'))
    .map((name) => path.join(folder, name))
    .sort((a, b) => writtenAt(b) - writtenAt(a));
  for (const old of states.slice(kept)) rmSync(old, { force: true });
};

/** Another run may have removed it in between. */
const writtenAt = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Writes a file of JSON in one step: another run may read it at the same time. */
export const writeJson = (file: string, content: unknown): void => {
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(content));
  renameSync(`${file}.${process.pid}`, file);
};
