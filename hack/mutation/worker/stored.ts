import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { RenderAnswer } from './renderer.ts';

/**
 * Renders of the chart without a fault, kept on disk. The key of a case holds all that goes into it, so an answer is
 * good for ever; workers of one run share them as they go.
 */
export class StoredRenders {
  readonly #folder: string;

  /** @param folder of this renderer's answers */
  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  get(key: string): RenderAnswer | undefined {
    const file = this.#file(key);
    try {
      const answer = JSON.parse(readFileSync(file, 'utf8')) as RenderAnswer;
      // What is used is not old.
      const now = new Date();
      utimesSync(file, now, now);
      return answer;
    } catch {
      return undefined;
    }
  }

  set(key: string, answer: RenderAnswer): void {
    const file = this.#file(key);
    // Whoever cleans the cache in between takes the folder too.
    mkdirSync(this.#folder, { recursive: true });
    writeFileSync(`${file}.${process.pid}`, JSON.stringify(answer));
    renameSync(`${file}.${process.pid}`, file);
  }

  #file(key: string): string {
    return path.join(this.#folder, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`);
  }
}
