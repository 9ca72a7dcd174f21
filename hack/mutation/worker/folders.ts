import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { SourceFile } from '../catalogue/index.ts';

/**
 * The copies of the chart that the suite has made in the system's temporary folder, the ones in umbrella charts
 * too. A fault is written into each of them, so that every way of looking at the chart sees it.
 */
export class ChartFolders {
  readonly #originals: ReadonlyMap<string, string>;
  readonly #roots = new Set<string>();
  readonly #written = new Map<string, string>();
  #faults: ReadonlyMap<string, string> = new Map();

  /** @param files the chart without a fault */
  constructor(files: readonly SourceFile[]) {
    this.#originals = new Map(files.map(({ path: name, text }) => [name, text]));
  }

  /** Takes note of a chart that helm is about to render, and puts the fault of the moment into it. */
  sight(folder: string): void {
    const absolute = path.resolve(folder);
    // What lies elsewhere, a checkout above all, is not ours to change.
    if (!absolute.startsWith(`${tmpdir()}${path.sep}`)) return;
    for (const root of chartsIn(absolute)) {
      if (this.#roots.has(root)) continue;
      this.#roots.add(root);
      this.#spoil(root);
    }
  }

  /**
   * A digest of a chart as it is without the fault of the moment, wherever it lies.
   * @returns nothing when there is no chart
   */
  digest(folder: string): string | undefined {
    const absolute = path.resolve(folder);
    if (!existsSync(path.join(absolute, 'Chart.yaml'))) return undefined;
    const hash = createHash('sha256');
    const entries = readdirSync(absolute, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    for (const file of files.map((entry) => path.join(entry.parentPath, entry.name)).sort()) {
      const content = this.#written.get(file) ?? readFileSync(file);
      hash.update(`${path.relative(absolute, file)}\0${content.length}\0`).update(content);
    }
    return hash.digest('hex').slice(0, 24);
  }

  /** Replaces files of every copy. @param faults texts by path in the chart */
  apply(faults: ReadonlyMap<string, string>): void {
    this.restore();
    this.#faults = faults;
    for (const root of this.#roots) {
      if (existsSync(root)) this.#spoil(root);
      else this.#roots.delete(root);
    }
  }

  /** Makes every copy what it was. */
  restore(): void {
    for (const [file, original] of this.#written) {
      if (existsSync(file)) writeFileSync(file, original);
    }
    this.#written.clear();
    this.#faults = new Map();
  }

  #spoil(root: string): void {
    for (const [name, text] of this.#faults) {
      const original = this.#originals.get(name);
      const file = path.join(root, name);
      if (original === undefined || !existsSync(file)) continue;
      const found = readFileSync(file, 'utf8');
      // A copy of a copy has the fault already. Other texts are charts of a test's own.
      if (found !== original && found !== text) continue;
      writeFileSync(file, text);
      this.#written.set(file, original);
    }
  }
}

/** A chart's folder and those of its sub-charts. */
const chartsIn = (folder: string): readonly string[] => {
  if (!existsSync(path.join(folder, 'Chart.yaml'))) return [];
  const charts = path.join(folder, 'charts');
  const below = existsSync(charts) ? readdirSync(charts) : [];
  return [folder, ...below.flatMap((name) => chartsIn(path.join(charts, name)))];
};
