import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Outcome } from '../worker/protocol.ts';
import { digestFiles, removeOld, writeJson } from './cache.ts';

/** States of the tool whose outcomes are kept. */
const KEPT = 3;

const tool = fileURLToPath(new URL('..', import.meta.url));

/** Outcomes of renders, valid for ever while this tool is the same: their keys hold all that goes in. */
export class OutcomeCache {
  readonly #folder: string;
  readonly #file: string;

  /** @param folder of the cache */
  constructor(folder: string) {
    this.#folder = folder;
    this.#file = path.join(folder, `${digestFiles(tool, ['.'], 'equivalents.yaml')}.json`);
  }

  read(): Map<string, Outcome> {
    if (!existsSync(this.#file)) return new Map();
    return new Map(JSON.parse(readFileSync(this.#file, 'utf8')) as [string, Outcome][]);
  }

  /** Writes them down; of other states of the tool only the newest stay, for other checkouts. */
  write(outcomes: ReadonlyMap<string, Outcome>): void {
    mkdirSync(this.#folder, { recursive: true });
    writeJson(this.#file, [...outcomes]);
    removeOld(this.#folder, KEPT);
  }
}
