import { AsyncLocalStorage } from 'node:async_hooks';
import type { File, Test } from '@vitest/runner';
import { type Case, Cases, fingerprint } from './cases.ts';
import type { ChartFolders } from './folders.ts';
import type { RenderAnswer, Renderer } from './renderer.ts';
import type { StoredRenders } from './stored.ts';

/** What one test asked for, when it ran on the chart without a fault. */
export interface Record {
  readonly cases: Set<Case>;
  /** Whether it started programs, or helm in a way that only the real one answers. */
  slow: boolean;
  /** Whether it rendered a packed chart: one that it has made without the fault. */
  blind: boolean;
}

/**
 * Answers the suite's renders: by the long-lived renderer, once for each case, and with notes of which test asked
 * for which case while the suite runs without a fault.
 */
export class Recorder {
  /** The test of the moment, also where several run side by side. */
  readonly running = new AsyncLocalStorage<Test>();
  readonly cases: Cases;
  readonly #renderer: Renderer;
  readonly #folders: ChartFolders;
  readonly #stored: StoredRenders;
  readonly #records = new Map<Test | File, Record>();
  readonly #early = new Set<File>();
  #answers = new Map<string, Promise<RenderAnswer>>();
  #file: File | undefined;
  #loading = false;
  #recording = true;

  constructor(renderer: Renderer, folders: ChartFolders, stored: StoredRenders) {
    this.#stored = stored;
    this.#renderer = renderer;
    this.#folders = folders;
    this.cases = new Cases(folders);
  }

  /** The file whose tests run now, or which is being loaded. */
  enter(file: File, loading: boolean): void {
    this.#file = file;
    this.#loading = loading;
  }

  /** Files that rendered while they were loaded. */
  early(): readonly File[] {
    return [...this.#early];
  }

  /** Ends the notes. */
  stop(): void {
    this.#recording = false;
  }

  /** What a test asked for, with what its file asked for outside of tests. */
  record(test: Test): Record {
    const [own, file] = [this.#records.get(test), this.#records.get(test.file)];
    return {
      cases: new Set([...(own?.cases ?? []), ...(file?.cases ?? [])]),
      slow: own?.slow === true || file?.slow === true,
      blind: own?.blind === true || file?.blind === true,
    };
  }

  /** Forgets answers: the chart has changed. */
  forget(): void {
    this.#answers = new Map();
  }

  /** helm's part. @returns undefined when the real one must be started */
  async helm(generation: 3 | 4, args: readonly string[]): Promise<RenderAnswer | undefined> {
    const one = this.cases.of(generation, args);
    for (const arg of args) if (!arg.startsWith('-')) this.#folders.sight(arg);
    const notes = this.#notes();
    if (notes !== undefined && args.some((arg) => arg.endsWith('.tgz'))) notes.blind = true;
    const answer = await this.answer(one);
    if (answer.unsupported !== undefined) {
      if (notes !== undefined) notes.slow = true;
      return undefined;
    }
    notes?.cases.add(one);
    return answer;
  }

  /** Any other program's start. */
  other(): void {
    const notes = this.#notes();
    if (notes !== undefined) notes.slow = true;
  }

  /** What helm says to a case, as the chart stands now. */
  answer(one: Case): Promise<RenderAnswer> {
    const known = this.#answers.get(one.key);
    if (known !== undefined) return known;
    const answer = this.#recording ? this.#faultless(one) : this.#renderer.ask(one.job);
    this.#answers.set(one.key, answer);
    return answer;
  }

  async #faultless(one: Case): Promise<RenderAnswer> {
    const stored = this.#stored.get(one.key);
    if (stored !== undefined) return stored;
    const answer = await this.#renderer.ask(one.job);
    this.#stored.set(one.key, answer);
    return answer;
  }

  /** As answer, but only its fingerprint. */
  async look(one: Case): Promise<string> {
    return fingerprint(await this.answer(one));
  }

  #notes(): Record | undefined {
    if (!this.#recording) return undefined;
    if (this.#loading && this.#file !== undefined) this.#early.add(this.#file);
    const owner = this.running.getStore() ?? this.#file;
    if (owner === undefined) return undefined;
    const notes = this.#records.get(owner) ?? { cases: new Set<Case>(), slow: false, blind: false };
    this.#records.set(owner, notes);
    return notes;
  }
}
