import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Outcome } from '../worker/protocol.ts';
import { digestFiles, writeJson } from './cache.ts';

const tool = fileURLToPath(new URL('..', import.meta.url));

/** Outcomes of renders, valid for ever while this tool is the same: their keys hold all that goes in. */
export class OutcomeCache {
  readonly #folder: string;
  readonly #file: string;

  /** @param folder of the cache */
  constructor(folder: string) {
    this.#folder = folder;
    this.#file = path.join(folder, `${digestFiles(tool, ['.'])}.json`);
  }

  read(): Map<string, Outcome> {
    if (!existsSync(this.#file)) return new Map();
    return new Map(JSON.parse(readFileSync(this.#file, 'utf8')) as [string, Outcome][]);
  }

  /** Writes them down; those of another state of the tool go. */
  write(outcomes: ReadonlyMap<string, Outcome>): void {
    mkdirSync(this.#folder, { recursive: true });
    for (const name of readdirSync(this.#folder)) {
      const file = path.join(this.#folder, name);
      if (file !== this.#file) rmSync(file, { force: true });
    }
    writeJson(this.#file, [...outcomes]);
  }
}
